import type { ClinicalQualificationRequest } from 'pawl-client/schemas/clinical-qualification'
import type { Organization } from '../access/organizations.ts'
import type { ClinicalQualificationRecord } from './record.ts'
import { newClinicalQualification, showQualification } from './new-resource.ts'
import { type ClinicalQualificationPush, showPushed } from './pushed-result.ts'
import { clinicalQualificationRows, type ClinicalQualificationState } from './states.ts'
import type { Platform } from '../platform.ts'
import { readFiles } from '../files/request-files.ts'
import { chooseLegal } from '../platform/choose-legal.ts'
import type { Machine } from '../platform/machine.ts'
import { notFound } from '../platform/refusal.ts'
import { refuseByTestValue } from '../platform/test-values.ts'
import { createWalk } from '../platform/walk.ts'

/** All operations on clinical qualifications. */
export type ClinicalQualifications = ReturnType<typeof createClinicalQualifications>

const machine: Machine<ClinicalQualificationRecord, ClinicalQualificationState, never> = {
  name: 'clinical_qualification',
  rows: clinicalQualificationRows,
  conditions: {},
  progressOf: (record) => record.progress,
  entered: ({ resource, script }, state) => {
    if (state !== 'evaluated') return
    showQualification(resource, script.isEvidenced)
    showPushed(resource, script.pushed ?? {})
  },
}

/** Clinical qualifications emit no events (specification, Events). */
export function createClinicalQualifications(platform: Platform) {
  const { random, files } = platform
  const shelf = platform.store.shelf<ClinicalQualificationRecord>('clinical_qualification')
  const walk = createWalk({ ...platform, ...shelf, machine })

  return {
    getOwn: (id: string, organization: Organization): ClinicalQualificationRecord => {
      const record = shelf.findOwn(id, organization.id)
      if (record === undefined) throw notFound('Clinical qualification')
      return record
    },
    create: async (
      organization: Organization,
      request: ClinicalQualificationRequest,
    ): Promise<ClinicalQualificationRecord> => {
      refuseByTestValue('POST /clinical-qualification', request.patient.internal_id)
      const { cards } = await readFiles(request, { cardsOf: 'other' })
      const id = `cq_${random.letters(20)}`
      const { evidence = [], questionnaires = [], visit_notes = [] } = request
      const record: ClinicalQualificationRecord = {
        kind: 'clinical_qualification',
        id,
        organization: organization.id,
        resource: newClinicalQualification(id, request, random, cards),
        script: { isEvidenced: evidence.length + questionnaires.length + visit_notes.length > 0 },
        progress: { state: 'pending', visited: [] },
      }
      files.keep(record, 'insurance', cards)
      shelf.save(record)
      walk.start(record)
      return record
    },
    has: (id: string) => shelf.find(id) !== undefined,
    list: () => shelf.list().map(({ resource }) => resource),
    /** Evaluates now, or again; given results override the scripted ones. Returns the new state; throws the endpoint's 404. */
    push: (id: string, state: string, result: ClinicalQualificationPush): ClinicalQualificationState => {
      const record = shelf.find(id)
      if (record === undefined) throw notFound('Clinical qualification')
      const to = chooseLegal(record.progress.state, state, walk.legal(record))
      record.script.pushed = result
      walk.move(record, to)
      return to
    },
    /** Runners of due transitions, by machine name. */
    runners: { clinical_qualification: walk.runDue },
  }
}
