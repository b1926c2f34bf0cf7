import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Node, nodeIn, nodesIn, parseSource } from '../packages/dev/src/new/source.ts'
import { documents } from '../packages/client/src/schemas/kinds.ts'
import { detailCodes } from '../packages/client/src/schemas/outcome.ts'
import { ReadableOutreach } from '../packages/client/src/schemas/provider-outreach.ts'
import { shapeOf } from '../packages/client/src/schemas/shape.ts'

const head = `# Reference

Made from the types and schemas by \`npm run write-reference\`; a test holds this page to them. [handlers.md](handlers.md) and [testing.md](testing.md) say how to use what is listed here.
`

/** The text of docs/reference.md. */
export async function renderReference(): Promise<string> {
  const ehr = await readSource('packages/ehr/src/ehr.ts')
  const pharmacy = await readSource('packages/pharmacy/src/pharmacy.ts')
  const client = 'packages/client/src/api'
  const calls = await Promise.all(
    [
      [`${client}/prior-authorization-calls.ts`, 'PriorAuthorizationCalls'],
      [`${client}/benefit-verification-calls.ts`, 'BenefitVerificationCalls'],
      [`${client}/clinical-qualification-calls.ts`, 'ClinicalQualificationCalls'],
      [`${client}/pa-status-check-calls.ts`, 'PaStatusCheckCalls'],
      [`${client}/patient-enrollment-calls.ts`, 'PatientEnrollmentCalls'],
      [`${client}/providers.ts`, 'ProviderCalls'],
      [`${client}/files.ts`, 'FileCalls'],
      [`${client}/client.ts`, 'Api'],
    ].map(async ([path = '', name = '']) => membersOf(await readSource(path), name)),
  )
  const builders = await Promise.all(
    [
      'a-prior-authorization',
      'a-benefit-verification',
      'a-provider-outreach',
      'a-transfer',
      'a-message',
      'outcomes',
      'an-event',
      'request-builders',
    ].map(async (file) => functionsOf(await readSource(`packages/testing/src/${file}.ts`))),
  )
  const memoryEhr = await readSource('packages/ehr/src/memory/memory-ehr.ts')
  const exchange = await readSource('packages/connector/src/exchange.ts')
  const memoryPharmacy = await readSource('packages/pharmacy/src/memory/memory-pharmacy.ts')
  return [
    head,
    section('## `ehr`', docOf(ehr, 'Ehr'), table('method', membersOf(ehr, 'Ehr'))),
    ...['StaffTask', 'ChartFile', 'ChartNote'].map((name) =>
      section(`### ${name}`, docOf(ehr, name), table('field', membersOf(ehr, name))),
    ),
    section('## `pharmacy`', docOf(pharmacy, 'Pharmacy'), table('method', membersOf(pharmacy, 'Pharmacy'))),
    section(
      '## `api`',
      'The client of the service. Every method throws `ApiError`, whose `retry` is the verdict.',
      table('method', calls.flat()),
    ),
    '## Resources\n\nAll fields are readonly, and optional unless always there. `[]` is each item of a list. A code may be one that the service added later. `null` and a value of another type read as absent. Undocumented fields are under `unknownFields` of their object.\n',
    section('### PriorAuthorization', undefined, fieldTable(documents.prior_authorization)),
    section('### Reasons of an outcome', '`outcome.detail_code` of a PA, by `outcome.result`.', reasonTable()),
    section('### BenefitVerification', undefined, fieldTable(documents.benefit_verification)),
    section('### ProviderOutreach', 'Beta: the service documents little of it.', fieldTable(ReadableOutreach)),
    section(
      '## Builders of `#pawl/testing`',
      '`Overrides` of a type take its documented fields and words, each optional, at any depth; `null` leaves a field out.',
      table('function', builders.flat()),
    ),
    section(
      '## `exchange` of `#pawl/connector`',
      'Takes an `ExchangeRequest`, and answers with a `SuccessfulAnswer` or a `FailedAnswer`, which is a `Verdict`, too ([connectors.md](connectors.md)).',
      ['ExchangeRequest', 'SuccessfulAnswer', 'FailedAnswer', 'Verdict']
        .map((name) => section(`### ${name}`, docOf(exchange, name), table('field', membersOf(exchange, name))))
        .join('\n'),
    ),
    section(
      '## Chart and pharmacy in memory',
      'The `ehr` and `pharmacy` of a stand and of a test gateway.',
      table('member', [...membersOf(memoryEhr, 'MemoryEhr'), ...membersOf(memoryPharmacy, 'MemoryPharmacy')]),
    ),
  ].join('\n')
}

interface Source {
  text: string
  tree: Node
}

interface Entry {
  signature: string
  doc: string
}

/** Reads and parses a file of the sources. */
export async function readSource(path: string): Promise<Source> {
  const text = readFileSync(path, 'utf8')
  return { text, tree: await parseSource(text, path) }
}

function section(title: string, doc: string | undefined, body: string): string {
  return [title, ...(doc === undefined ? [] : [doc]), body].join('\n\n')
}

const nameOf = (node: Node | undefined) => z.string().optional().parse(nodeIn(node, 'id')?.name)

function interfaceOf({ tree }: Source, name: string): { declaration: Node; exported: Node } {
  for (const exported of nodesIn(tree, 'body')) {
    const declaration = nodeIn(exported, 'declaration')
    if (declaration?.type === 'TSInterfaceDeclaration' && nameOf(declaration) === name) return { declaration, exported }
  }
  throw new TypeError(`There is no exported interface ${name}.`)
}

function docOf(source: Source, name: string): string {
  return docBefore(source, interfaceOf(source, name).exported)
}

/** The members of an interface, in order. */
export function membersOf(source: Source, name: string): Entry[] {
  const { declaration } = interfaceOf(source, name)
  return nodesIn(nodeIn(declaration, 'body'), 'body').map((member) => ({
    signature: oneLine(
      source.text
        .slice(...member.range)
        .replace(/^readonly /, '')
        .replace(/(\?: .*) \| undefined$/, '$1'),
    ),
    doc: docBefore(source, member),
  }))
}

/** The functions of a file that `#pawl/testing` exports, in order. */
function functionsOf(source: Source): Entry[] {
  const exports = readFileSync('packages/testing/src/index.ts', 'utf8').match(/\w+/g)
  return nodesIn(source.tree, 'body').flatMap((exported) => {
    const declaration = nodeIn(exported, 'declaration')
    const [name, body] = [nameOf(declaration), nodeIn(declaration, 'body')]
    if (declaration?.type !== 'FunctionDeclaration' || name === undefined || body === undefined) return []
    if (exports?.includes(name) !== true) return []
    const signature = oneLine(source.text.slice(declaration.range[0], body.range[0])).replace(/^function /, '')
    return [{ signature, doc: docBefore(source, exported) }]
  })
}

/** The text of the doc comment right before a node. Throws without one, since every entry needs its meaning. */
function docBefore({ text, tree }: Source, node: Node): string {
  const comment = nodesIn(tree, 'comments').findLast(({ range }) => range[1] <= node.range[0])
  if (comment === undefined || text.slice(comment.range[1], node.range[0]).trim() !== '')
    throw new TypeError(`This has no comment: ${text.slice(...node.range).slice(0, 80)}`)
  const [from, to] = comment.range
  return oneLine(text.slice(from, to).replaceAll(/^\s*\/?\*+\/?|\*\/$/gm, ''))
}

function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([([<]) /g, '$1')
    .replaceAll(/,? ([)\]])/g, '$1')
    .trim()
}

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``

/** Not aligned: the longest meaning would make every line as long. */
function rowsOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

function table(title: string, entries: readonly Entry[]): string {
  return rowsOf(
    [title, 'meaning'],
    entries.map(({ signature, doc }) => [code(signature), doc.replaceAll('|', '\\|')]),
  )
}

function reasonTable(): string {
  const rows = Object.entries(detailCodes).map(([result, codes]) => [code(result), codes.map(code).join(', ')])
  return rowsOf(['result', 'reasons'], rows)
}

interface Field {
  path: string
  type: string
  meaning: string
}

function fieldTable(schema: z.ZodType): string {
  return rowsOf(
    ['field', 'type', 'meaning'],
    fieldsOf(schema, '').map(({ path, type, meaning }) => [code(path), type, meaning.replaceAll('|', '\\|')]),
  )
}

/** The documented fields at any depth, alternatives merged. */
function fieldsOf(schema: z.core.$ZodType, prefix: string): Field[] {
  const merged = new Map<string, z.core.$ZodType[]>()
  for (const object of formsOf(schema))
    if (object instanceof z.ZodObject)
      for (const [name, field] of Object.entries<z.core.$ZodType>(object.shape))
        merged.set(name, [...(merged.get(name) ?? []), field])
  const shape = shapeOf(schema)
  const isAlways = (name: string) => shape.of === 'object' && shape.essential.has(name)
  return [...merged].flatMap(([name, fields]) => {
    const path = `${prefix}${name}`
    const field = fields.length === 1 && fields[0] !== undefined ? fields[0] : z.union(fields as z.ZodType[])
    const meaning = [...new Set(fields.map(meaningOf))].filter((each) => each !== '').join(' ')
    const type = typeOf(field, meaning)
    return [
      { path, type: isAlways(name) ? `${type}, always there` : type, meaning },
      ...fieldsOf(itemsOf(field), isList(field) ? `${path}[].` : `${path}.`),
    ]
  })
}

function formsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly)
    return formsOf(schema.unwrap())
  return schema instanceof z.ZodUnion ? schema.options.flatMap(formsOf) : [schema]
}

const isList = (schema: z.core.$ZodType) => formsOf(schema).every((form) => form instanceof z.ZodArray)

function itemsOf(schema: z.core.$ZodType): z.core.$ZodType {
  const items = formsOf(schema).map((form) => (form instanceof z.ZodArray ? form.element : form))
  return items.length === 1 && items[0] !== undefined ? items[0] : z.union(items as z.ZodType[])
}

/** The description without its source, which docs/interface.md has. */
function meaningOf(schema: z.core.$ZodType): string {
  const own = z.globalRegistry.get(schema)?.description
  return own?.replace(/ \[[^\]]*\]$/, '') ?? ''
}

function typeOf(schema: z.core.$ZodType, meaning: string): string {
  const shape = shapeOf(schema)
  switch (shape.of) {
    case 'object':
      return shape.fields.size === 0 ? 'any JSON' : 'object'
    case 'list':
      return `list of ${plural[typeOf(itemsOf(schema), meaning)] ?? typeOf(itemsOf(schema), meaning)}`
    case 'code': {
      const values = [...shape.values]
      return values.every((value) => meaning.includes(`\`${value}\``))
        ? 'code'
        : values.map((value) => `\`${value}\``).join(', ')
    }
    case 'value': {
      return [...new Set([...shape.types].map((type) => words[type]))].join(' or ')
    }
  }
}

const plural: Record<string, string> = { object: 'objects', text: 'texts', number: 'numbers' }
const words = { string: 'text', number: 'number', boolean: 'true or false', json: 'any JSON' }
