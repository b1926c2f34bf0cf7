/** `@pawl/pharmacy`: connectors to pharmacies, for an integration and its handlers. */
export { pharmacyFrom } from './pharmacy-from.ts'
export { pharmacySettings } from './settings.ts'
export { PharmacyWriteFailed } from './pharmacy-write-failed.ts'
export type { Pharmacy } from './pharmacy.ts'
export { PharmacyRouteMissing } from './pharmacy-route-missing.ts'
export { TransferNotice } from './transfer-notice.ts'
