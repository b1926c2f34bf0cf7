/** Exports of the service's client on its own, without the gateway; also the package pawl-client. */
export { createApi } from './service/client/client.ts'
export type { Api, ApiClient, ApiOptions, SnapshotKind } from './service/client/client.ts'
export type { CallOptions } from './service/client/request.ts'
export type { RequestReport } from './service/client/send.ts'
export type { WaitOptions } from './service/client/wait-until-terminal.ts'
export type { BudgetStore } from './service/client/budget-store.ts'
export type { Created, PreferredPharmacy, StatusAnswer } from './service/schemas/answers.ts'
export type { AuthorizedProvider, ProviderLookup } from './service/schemas/provider.ts'
export type { PaStatusCheck } from './service/schemas/pa-status.ts'
export { PawlError } from './base/errors.ts'
export type { Retry } from './base/errors.ts'
export * from './service/client/api-errors.ts'
export * from './service/client/refusals.ts'
export { FileAddressRefused, FileExpired, FileTooLarge, FileUnavailable } from './service/client/files.ts'
export type { DownloadFileOptions } from './service/client/files.ts'
export type { DownloadedFile } from './service/client/typed-file.ts'
export { FileUnusable, readCardFile, readEvidenceFile } from './service/client/request-file.ts'
export { createVerify } from './receive/verify.ts'
export type { Verified, Verify } from './receive/verify.ts'
export { DeliveryRefused } from './receive/delivery-refused.ts'
export type { RefusalReason } from './receive/delivery-refused.ts'
export { isApproved } from './service/schemas/outcome.ts'
export type {
  Activity,
  Message,
  PrescriptionTransfer,
  PriorAuthorization,
} from './service/schemas/prior-authorization.ts'
export type { Outcome } from './service/schemas/outcome.ts'
export type { BenefitVerification } from './service/schemas/benefit-verification.ts'
export type { ClinicalQualification } from './service/schemas/clinical-qualification.ts'
