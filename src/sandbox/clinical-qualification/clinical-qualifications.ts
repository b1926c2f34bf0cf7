import type { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import type { Core } from '../core.ts'
import { notFound } from '../errors.ts'
import { checkCards } from '../files/check-cards.ts'
import { clinicalQualificationRows, type ClinicalQualificationState } from '../machine/clinical-qualification.ts'
import type { Machine } from '../machine/machine.ts'
import { createWalk } from '../machine/walk.ts'
import type { Organization } from '../organizations.ts'
import type { ClinicalQualificationRecord } from '../records.ts'
import { refuseTriggered } from '../triggers.ts'
import { newClinicalQualification, showQualification } from './resource.ts'

type Record_ = ClinicalQualificationRecord

/** All that can be done with clinical qualifications. */
export type ClinicalQualifications = ReturnType<typeof createClinicalQualifications>

const machine: Machine<Record_, ClinicalQualificationState, never> = {
  name: 'clinical_qualification',
  rows: clinicalQualificationRows,
  conditions: {},
  progressOf: (record) => record.progress,
  entered: ({ resource, plan }, state) => {
    if (state === 'evaluated') showQualification(resource, plan.isEvidenced)
  },
}

/** Makes the clinical qualification part of the sandbox. No event speaks of them (specification, Events). */
export function createClinicalQualifications(core: Core) {
  const { store, random } = core
  const find = (id: string) => store.find('clinical_qualification', id)
  const walk = createWalk({ ...core, find, save: store.save, machine })

  return {
    getOwn: (id: string, organization: Organization): Record_ => {
      const record = store.findOwn('clinical_qualification', id, organization.id)
      if (record === undefined) throw notFound('Clinical qualification')
      return record
    },
    create: async (organization: Organization, request: ClinicalQualificationRequest): Promise<Record_> => {
      refuseTriggered('POST /clinical-qualification', request.patient.internal_id)
      await checkCards(request.insurance, 'other')
      const id = `cq_${random.letters(20)}`
      const { evidence = [], questionnaires = [], visit_notes = [] } = request
      const record: Record_ = {
        kind: 'clinical_qualification',
        id,
        organization: organization.id,
        resource: newClinicalQualification(id, request, random),
        plan: { isEvidenced: evidence.length + questionnaires.length + visit_notes.length > 0 },
        progress: { state: 'pending', visited: [] },
      }
      store.save(record)
      walk.start(record)
      return record
    },
    /** What the schedule runs, by machine. */
    fire: { clinical_qualification: walk.fire },
  }
}
