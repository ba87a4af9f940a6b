"""What Ethernet, IP and TCP leave to the data: the one place where frames are counted.

A full frame carries an IP packet of 1,500 bytes. Of these TCP's payload is what IPv4 (20), TCP (20) and its time stamps
(12) leave. A card's rate counts what goes over the wire: preamble (8), header (14), checksum (4) and the gap (12)
besides. Linux' shapers, of which the testbed is made, count the frame with its header only.
"""

from __future__ import annotations

PACKET_BYTES = 1500
SEGMENT_BYTES = PACKET_BYTES - 20 - 20 - 12
SHAPED_BYTES = PACKET_BYTES + 14
WIRE_BYTES = SHAPED_BYTES + 8 + 4 + 12

SHARE_OF_WIRE = SEGMENT_BYTES / WIRE_BYTES
SHARE_OF_SHAPED = SEGMENT_BYTES / SHAPED_BYTES
