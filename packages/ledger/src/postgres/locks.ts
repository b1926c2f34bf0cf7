/** Class of all advisory locks of a ledger: `pawl` in ASCII. */
export const lockClass = 0x7061776c
/** Class of the locks that show which processes of a ledger live. */
export const presenceClass = lockClass + 1
