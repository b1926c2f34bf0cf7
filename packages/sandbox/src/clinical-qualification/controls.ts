import { readControl } from '../platform/read-control.ts'
import type { ResourceControl } from '../platform/resource-control.ts'
import type { ClinicalQualifications } from './clinical-qualifications.ts'
import { ClinicalQualificationPush } from './pushed-result.ts'

export function clinicalQualificationControl(clinicalQualifications: ClinicalQualifications): ResourceControl {
  return {
    has: clinicalQualifications.has,
    push: (id, request) => {
      const { status, ...result } = readControl(ClinicalQualificationPush, request)
      return clinicalQualifications.push(id, status, result)
    },
  }
}
