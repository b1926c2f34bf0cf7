import type { ResourceRecord } from '../platform/store.ts'
import type { ClinicalQualificationPush } from './pushed-result.ts'
import type { ClinicalQualificationResource } from 'pawl-client/schemas/clinical-qualification'
import type { ClinicalQualificationState } from './states.ts'

export type ClinicalQualificationRecord = ResourceRecord<
  'clinical_qualification',
  ClinicalQualificationResource,
  { isEvidenced: boolean; pushed?: ClinicalQualificationPush },
  ClinicalQualificationState
>
