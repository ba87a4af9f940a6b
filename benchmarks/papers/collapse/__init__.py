"""Where LAM collapses in Kutzner et al. 2007: which of the things that the paper does not tell decides how deep."""
