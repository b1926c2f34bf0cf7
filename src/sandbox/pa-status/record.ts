import type { PaStatusRequest } from '../../resources/requests/pa-status.ts'
import type { ResourceRecord } from '../platform/store.ts'
import type { PaStatusPush } from './pushed-result.ts'
import type { PaStatusCheck } from './resource.ts'
import type { PaStatusState } from './states.ts'

/** What is stored of a PA status check. */
export type PaStatusRecord = ResourceRecord<
  'pa_status',
  PaStatusCheck,
  { request: PaStatusRequest; pushed?: PaStatusPush },
  PaStatusState
>
