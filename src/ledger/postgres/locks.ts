/** Class of all advisory locks of a ledger: `pawl` in ASCII. */
export const lockClass = 0x7061776c
