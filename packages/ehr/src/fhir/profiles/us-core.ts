import { clinicalNote } from '../mapping/document-reference.ts'
import { demandsFrom, type VendorProfile } from './profile.ts'

const by = demandsFrom(
  'https://hl7.org/fhir/us/core/STU6.1/StructureDefinition-us-core-documentreference.html',
  '2026-11-23',
)

/** A server that holds documents to US Core 6.1 and everything else to R4. */
export const usCore: VendorProfile = {
  name: 'us-core',
  title: 'a server that validates US Core',
  DocumentReference: { category: by(clinicalNote) },
  Task: {},
  Communication: {},
}
