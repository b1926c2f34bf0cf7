import { randomBytes } from 'node:crypto'

/** Values that must stay inside pawl: invented, easily recognised, and found nowhere else. */
export const canaries = {
  firstName: 'Kanarina',
  lastName: 'Zwitscherling',
  birthDate: '1931-02-03',
  memberNumber: 'KANARI-MEMBER-4711',
  mrn: 'KANARI-MRN-0815',
  phone: '555-0199-KANARI',
  street: '7 Kanari Cage Lane',
  message: 'Kanari message: please call her daughter',
  directions: 'Kanari directions: two drops at night',
  drugName: 'Kanarimycin',
  outcomeDetail: 'Kanari detail: denied since she moved',
  apiToken: 'kanari.api.token.0123456789',
  webhookSecret: 'kanari-webhook-secret-of-more-than-32-characters',
  fhirToken: 'kanari-fhir-token-0123456789',
  pharmacySecret: `whsec_${Buffer.from('kanari-pharmacy-secret-of-enough-bytes').toString('base64')}`,
  adminPassword: 'kanari-admin-password',
  sealingKey: randomBytes(32).toString('base64'),
} as const

/** All of them in one sentence, as a careless error message or a strange answer would quote them. */
export const everyCanary = Object.values(canaries).join(' | ')

/** How a value may look once it was written somewhere. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  // Base64 of a value in the middle of something depends on where it begins: the parts that do not are searched for.
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(offset === 0 ? 0 : 4, -4),
  )
  return [value, encodeURIComponent(value), bytes.toString('hex'), ...inBase64]
}

const forms = Object.entries(canaries).flatMap(([name, value]) =>
  formsOf(value).map((form) => ({ name, form: form.toLowerCase() })),
)

/** Names of the canaries that the text shows in any form, each once, with what stands around the first. */
export function findCanaries(text: string): { name: string; around: string }[] {
  const searched = text.toLowerCase()
  const found = new Map<string, string>()
  for (const { name, form } of forms) {
    const at = searched.indexOf(form)
    if (at >= 0 && !found.has(name)) found.set(name, text.slice(Math.max(0, at - 120), at + form.length + 40))
  }
  return [...found].map(([name, around]) => ({ name, around }))
}
