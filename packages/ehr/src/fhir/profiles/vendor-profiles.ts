import { athenaPractice } from './athenapractice.ts'
import { canvas } from './canvas.ts'
import { epic } from './epic.ts'
import { medplum } from './medplum.ts'
import { oracleHealth } from './oracle-health.ts'
import type { CodeableConcept } from 'fhir/r4.js'
import type { StoredType } from '../chart-types.ts'
import type { Demand, ProfileName, ProfileOverrides, TypeDemands, VendorProfile } from './profile.ts'
import { r4 } from './r4.ts'
import { usCore } from './us-core.ts'

export const vendorProfiles: Readonly<Record<ProfileName, VendorProfile>> = {
  r4,
  'us-core': usCore,
  epic,
  'oracle-health': oracleHealth,
  canvas,
  athenapractice: athenaPractice,
  medplum,
}

/** The demands that concern the writing of one type. */
export function demandsOf({ DocumentReference, Task, Communication }: VendorProfile, type: StoredType): TypeDemands {
  const demands: Partial<Record<StoredType, TypeDemands>> = { DocumentReference, Task, Communication }
  return demands[type] ?? {}
}

/** Settings that override a profile. */
export interface ProfileSettings {
  /** FHIR_PROFILE. */
  name?: ProfileName | undefined
  /** FHIR_PROFILE_OVERRIDES. */
  overrides?: ProfileOverrides | undefined
  /** FHIR_DOCUMENT_FORMATS. */
  formats?: readonly string[] | undefined
  /** FHIR_DOCUMENT_TYPE. */
  type?: CodeableConcept | undefined
  /** FHIR_MESSAGE_RECIPIENT. */
  messageRecipient?: string | undefined
  /** Whether FHIR_DOCUMENT_AUTHOR names a practitioner, or the prescriber. */
  hasAuthor?: boolean | undefined
}

/** The profile that is set, or recognised by the chart's stated names, with the settings' overrides. */
export function profileAsSet(names: readonly string[], settings: ProfileSettings): VendorProfile {
  const vendors = settings.name === undefined ? recogniseProfile(names) : vendorProfiles[settings.name]
  const profile = override(vendors, settings.overrides ?? {})
  const { Communication } = profile
  const { type, description, updateContentTypes, ...DocumentReference } = profile.DocumentReference
  // The chart never updates this form: create a new document for each change.
  const formats = settings.formats ?? DocumentReference.contentTypes?.is.slice(0, 1)
  const isCreatedOnly = formats?.some((format) => updateContentTypes?.is.includes(format) === false)
  const { recipient, sender } = Communication
  const lacksRecipient = recipient?.is.every((type) => settings.messageRecipient?.startsWith(`${type}/`) !== true)
  const lacksSender = sender?.is === 'demanded' && settings.hasAuthor !== true
  const unfit =
    recipient !== undefined && lacksRecipient === true
      ? { ...recipient, is: `FHIR_MESSAGE_RECIPIENT names no ${recipient.is.join(' or ')}` }
      : lacksSender
        ? { ...sender, is: 'FHIR_DOCUMENT_AUTHOR names no practitioner, who would be the sender' }
        : undefined
  return {
    ...profile,
    DocumentReference: {
      ...DocumentReference,
      ...(type && settings.type === undefined && { type }),
      // Where a type has one title, the setting names both.
      ...(description && { description: { ...description, is: settings.type?.text ?? description.is } }),
      ...(updateContentTypes && { updateContentTypes }),
      ...(updateContentTypes && isCreatedOnly === true && { neverUpdated: { ...updateContentTypes, is: true } }),
    },
    Communication: unfit === undefined ? Communication : { ...Communication, unfit },
  }
}

/** The profile with the parts that FHIR_PROFILE_OVERRIDES replaces. */
function override(profile: VendorProfile, overrides: ProfileOverrides): VendorProfile {
  const replaced = Object.entries(overrides).map(([type, given]) => {
    const all = { ...profile[type as keyof ProfileOverrides], ...toDemands(given) }
    return [type, Object.fromEntries(Object.entries(all).filter(([, demand]) => demand !== undefined))]
  })
  // The schema has checked that each part is one of its type.
  return { ...profile, ...(Object.fromEntries(replaced) as Partial<VendorProfile>) }
}

function toDemands(given: Readonly<Record<string, unknown>> = {}): Record<string, Demand<unknown> | undefined> {
  const demandOf = (is: unknown) => (is === null ? undefined : { is, source: 'FHIR_PROFILE_OVERRIDES' })
  return Object.fromEntries(Object.entries(given).map(([part, is]) => [part, demandOf(is)]))
}

/** The profile of a chart with these stated names; `r4` for an unknown one. */
function recogniseProfile(names: readonly string[]): VendorProfile {
  const found = Object.values(vendorProfiles).find(({ recognisedBy }) => names.some((name) => recognisedBy?.test(name)))
  return found ?? r4
}
