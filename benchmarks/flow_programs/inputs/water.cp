&control
  calculation = 'cp', restart_mode = 'from_scratch', prefix = 'water', nstep = 2, iprint = 1, isave = 100
  dt = 5.0, pseudo_dir = './', outdir = './out'
/
&system
  ibrav = 1, celldm(1) = 24.0, nat = 3, ntyp = 2, ecutwfc = 25.0
/
&electrons
  emass = 400.0, emass_cutoff = 2.5, orthogonalization = 'ortho', electron_dynamics = 'damp', electron_damping = 0.1
/
&ions
  ion_dynamics = 'none'
/
ATOMIC_SPECIES
O 15.999 O_HSCV_PBE-1.0.UPF
H 1.008 H_HSCV_PBE-1.0.UPF
ATOMIC_POSITIONS angstrom
O 0.000 0.000 0.117
H 0.000 0.757 -0.471
H 0.000 -0.757 -0.471
