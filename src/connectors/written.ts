/** The receipt of one write to a foreign system: ids only, kept in the ledger as the audit trail. */
export interface Written {
  /** `ehr` or `pharmacy`. */
  system: string
  /** The foreign type, for example `Task`. */
  type: string
  /** The id that the foreign system gave, or the one that pawl gave where the system gives none. */
  id: string
  /** The foreign version, where the system has versions. */
  version?: string
}
