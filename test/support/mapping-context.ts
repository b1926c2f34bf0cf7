import { createDigest } from '../../packages/connector/src/digest.ts'
import type { MappingContext } from '../../packages/ehr/src/fhir/mapping/context.ts'
import { renderPdf } from '../../packages/ehr/src/narrative/render-pdf.ts'

/** Context of mappings, with the overrides of a test. */
export function mappingContext(different: Partial<MappingContext> = {}): MappingContext {
  return {
    base: 'https://clinic.example/id',
    patient: { reference: 'Patient/17' },
    digest: createDigest(Buffer.alloc(32)),
    now: '2026-03-01T12:00:00.000Z',
    hasReviewActionCodes: true,
    writePdf: async (narrative) => renderPdf(narrative),
    documents: { formats: ['text/plain', 'application/xhtml+xml'], author: { display: 'Prior authorization desk' } },
    ...different,
  }
}
