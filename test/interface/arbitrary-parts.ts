import fc from 'fast-check'

/** Text that breaks what is careless: scripts, marks, controls, half characters, quotes, leading zeros, length. */
const awkward = fc.constantFrom(
  'O\'Hara "Bo" \\ / `x`',
  'Zoë Ångström-Ñandú',
  '李小龍 مرحبا שלום',
  '👩🏽‍⚕️💊🏳️‍🌈',
  '0001234567',
  '  both ends  ',
  'line\r\nbreak\ttab\u0000null\u2028\u202eback',
  '\ud83d',
  "<b>&amp;</b> %s ${x} {{y}} '; DROP TABLE x; --",
  '__proto__',
  'null',
  'é'.repeat(20_000),
)
export const text = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: awkward },
)
export const mayBeEmpty = fc.oneof(text, fc.constant(''))
const orNull = fc.option(mayBeEmpty)

/** Every field of `optional` is present or absent, independent of the others. */
export const object = <R extends object, O extends object = object>(
  required: { [K in keyof R]: fc.Arbitrary<R[K]> },
  optional?: { [K in keyof O]: fc.Arbitrary<O[K]> },
) =>
  fc
    .tuple(fc.record(required), optional === undefined ? fc.constant({}) : fc.record(optional, { requiredKeys: [] }))
    // The compiler cannot see that a record without required keys has each of its fields or not.
    .map(([all, some]) => ({ ...all, ...some }) as R & Partial<O>)

export const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))
const notZero = (arbitrary: fc.Arbitrary<string>) => arbitrary.filter((value) => /[1-9]/.test(value))
const instant = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
export const date = instant.map((at) => at.toISOString().slice(0, 10))
const zones = fc.constantFrom('', 'Z', '+02:00', '-11:30')
export const dateTime = fc
  .tuple(instant, fc.constantFrom(19, 23), zones)
  .map(([at, length, zone]) => at.toISOString().slice(0, length) + zone)
export const state = fc.constantFrom('AL', 'CA', 'DC', 'MA', 'NY', 'OR', 'PR', 'TX', 'WY')
export const email = fc
  .tuple(
    fc.stringMatching(/^[a-z0-9]+([.+_-][a-z0-9]+){0,3}$/),
    fc.stringMatching(/^[a-z0-9]+(-[a-z0-9]+)?\.(org|example|co\.uk)$/),
  )
  .map((parts) => parts.join('@'))
/** Without the one that is a test value of the sandbox. */
export const ndc = notZero(
  fc.oneof(
    ...[/^\d{11}$/, /^\d{5}-\d{4}-\d{2}$/, /^\d{4}-\d{4}-\d{2}$/, /^\d{5}-\d{3}-\d{2}$/, /^\d{5}-\d{4}-\d$/].map(
      (form) => fc.stringMatching(form),
    ),
  ),
)
export const ncpdpId = digits(7)
export const whole = fc.oneof(fc.integer({ min: 1 }), fc.constant(Number.MAX_SAFE_INTEGER))
export const quantity = fc.oneof(whole, fc.double({ min: 0.001, max: 1e9, noNaN: true }))
export const priority = fc.integer({ min: 0, max: 3 })
export const content = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  // Where it stands deeper, a resource is read without it.
  fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__"')),
  { noNullPrototype: true },
)

const fileOf = (starts: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 50 }))
    .map(([start, rest]) => Buffer.concat([Buffer.from(start, 'latin1'), rest]).toString('base64'))
const heic = '\0\0\0\x10ftypheic\0\0\0\0'
const heif = '\0\0\0\x10ftypmif1\0\0\0\0'
const common = ['\xff\xd8\xff\xe0', '\x89PNG\r\n\x1a\n\0\0\0\0IDAT', '%PDF-1.4\n', heic]
export const card = fc.record({ file_content: fileOf([...common, 'II*\0\b\0\0\0\0\0', 'MM\0*\0\0\0\b\0\0', 'BM']) })
export const evidenceFile = fileOf([...common, heif])

const address = object(
  { street: text, city: text, state_province: state, zip_postal_code: text },
  { street_line_2: orNull, country: text },
)
export const partialAddress = object(
  {},
  {
    street: orNull,
    street_line_2: orNull,
    city: orNull,
    state_province: orNull,
    zip_postal_code: orNull,
    country: orNull,
  },
)
export const patient = object(
  {
    internal_id: text,
    first_name: text,
    last_name: text,
    gender: fc.constantFrom('male', 'female', 'other', 'not_specified'),
    date_of_birth: date,
    address,
  },
  { phone: orNull, email, mrn: text },
)
export const providerParts = { first_name: text, last_name: text, npi: text }
export const providerOptions = {
  phone: orNull,
  fax: text,
  email,
  internal_id: text,
  in_network_payers: fc.array(text, { maxLength: 2 }),
}
export const provider = object(providerParts, { ...providerOptions, address: partialAddress })
const insuranceContent = object(
  {},
  {
    member_number: text,
    rx_bin: notZero(digits(6)),
    rx_pcn: mayBeEmpty,
    rx_group: mayBeEmpty,
    payer_name: mayBeEmpty,
    plan_name: mayBeEmpty,
    member_name: mayBeEmpty,
    group_number: mayBeEmpty,
    client_name: mayBeEmpty,
  },
)
/** One of the two ways to be insured, or both. */
export const insured = fc.oneof(
  fc.record({ insurance_content: insuranceContent }),
  fc.record({ insurance: fc.array(card, { minLength: 1, maxLength: 2 }) }),
  fc.record({ insurance: fc.array(card, { minLength: 1, maxLength: 2 }), insurance_content: insuranceContent }),
)
export const few = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 3 })
export const diagnoses = few(fc.record({ code: text }))
export const visit_notes = few(fc.record({ content: text, date_created: dateTime }))
export const questionnaires = few(
  fc.record({ questions: few(fc.record({ question: text, answer: mayBeEmpty })), date_created: dateTime }),
)
export const merged = <A extends object, B extends object>(one: fc.Arbitrary<A>, other: fc.Arbitrary<B>) =>
  fc.tuple(one, other).map(([a, b]) => ({ ...a, ...b }))
