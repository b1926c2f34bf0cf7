import { type PaStatusRequest, type PaStatusResource } from 'pawl-client/schemas/pa-status'
import type { ResourceRecord } from '../platform/store.ts'
import type { PaStatusPush } from './pushed-result.ts'
import type { PaStatusState } from './states.ts'

export type PaStatusRecord = ResourceRecord<
  'pa_status',
  PaStatusResource,
  { request: PaStatusRequest; pushed?: PaStatusPush },
  PaStatusState
>
