import { z } from 'zod'
import type { ChartClient } from './chart-client.ts'
import type { StoredResource } from './stored-resource.ts'

const Links = z.array(
  z.looseObject({ type: z.string().optional(), other: z.looseObject({ reference: z.string().optional() }) }),
)

/** Maximum length of a chain of merged records. */
const maxReplacements = 8

/**
 * The current record of a Patient: the Patient itself, or the target of its `replaced-by` links, since a record with such a link must no longer
 * be used (FHIR R4, Patient.link). Undefined if the links lead to no Patient of this server. Throws `EhrWriteFailed`.
 */
export async function followReplacements(
  { read, idOf }: Pick<ChartClient, 'read' | 'idOf'>,
  patient: StoredResource,
): Promise<StoredResource | undefined> {
  let current: StoredResource | undefined = patient
  for (let followed = 0; followed < maxReplacements; followed += 1) {
    const links: z.infer<typeof Links> = Links.safeParse(current?.link).data ?? []
    const replacement = links.find(({ type }) => type === 'replaced-by')
    if (current === undefined || replacement === undefined) return current
    const id: string | undefined = idOf('Patient', replacement.other.reference)
    current = id === undefined ? undefined : await read('Patient', id)
  }
  return undefined
}

/** Whether a record is in use; true unless the chart says otherwise. */
export function isActive({ active }: StoredResource): boolean {
  return active !== false
}
