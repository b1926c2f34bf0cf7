import { z } from 'zod'
import { ClinicalQualificationResource } from 'pawl-client/schemas/clinical-qualification'

const { status, unqualified_reasons } = ClinicalQualificationResource.shape.results.element.shape

/** A control's push of a clinical qualification: `evaluated`, a status of controls only, and results in the order of the drugs. */
export const ClinicalQualificationPush = z.strictObject({
  status: z.string().min(1),
  results: z.array(z.strictObject({ status, unqualified_reasons: unqualified_reasons.optional() })).optional(),
})
export type ClinicalQualificationPush = Omit<z.infer<typeof ClinicalQualificationPush>, 'status'>

/** Overrides the scripted results with those of a push. Only an unqualified result gets default reasons. */
export function showPushed(resource: ClinicalQualificationResource, pushed: ClinicalQualificationPush): void {
  for (const [index, { status: given, unqualified_reasons: reasons }] of (pushed.results ?? []).entries()) {
    const result = resource.results[index]
    if (result === undefined) continue
    const usual = given === 'unqualified' && result.unqualified_reasons.length === 0 ? [usualReason] : []
    result.unqualified_reasons = reasons ?? (given === 'unqualified' ? [...result.unqualified_reasons, ...usual] : [])
    result.status = given
  }
}

const usualReason = { description: 'The criteria of the plan are not met.' }
