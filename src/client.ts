/** The client of the service on its own: all that calling it takes, and nothing of the gateway. */
export { createApi } from './api/client.ts'
export type { Api, ApiClient, ApiOptions, SnapshotKind, StatusAnswer } from './api/client.ts'
export type { CallOptions } from './api/request.ts'
export type { RequestReport } from './api/send.ts'
export type { WaitOptions } from './api/wait-until-terminal.ts'
export type { BudgetStore } from './api/budget-store.ts'
export type { Created } from './api/create.ts'
export type { PreferredPharmacy } from './api/prior-authorizations.ts'
export type { AuthorizedProvider, ProviderLookup } from './api/providers.ts'
export type { PaStatusCheck } from './api/pa-status-checks.ts'
export { PawlError } from './errors.ts'
export type { Retry } from './errors.ts'
export * from './api/errors.ts'
export * from './api/refusals.ts'
export { FileAddressRefused, FileExpired, FileTooLarge, FileUnavailable } from './api/files.ts'
export type { DownloadedFile, DownloadFileOptions } from './api/files.ts'
export { FileUnusable, readCardFile, readEvidenceFile } from './api/request-file.ts'
export { isApproved } from './resources/prior-authorization.ts'
export type {
  Activity,
  Message,
  Outcome,
  PrescriptionTransfer,
  PriorAuthorization,
} from './resources/prior-authorization.ts'
export type { BenefitVerification } from './resources/benefit-verification.ts'
export type { ClinicalQualification } from './resources/clinical-qualification.ts'
