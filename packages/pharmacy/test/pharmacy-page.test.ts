import { readFile } from 'node:fs/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Environment } from '../../../src/settings/environment.ts'
import { TransferNotice } from '../src/transfer-notice.ts'

const read = (name: string) => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
const page = await read('pharmacy.md')
const schema: unknown = JSON.parse(await read('prescription-transfer-notice.schema.json'))

/** A field, as far as the table needs it. */
const Field = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().default(''),
  anyOf: z.array(z.looseObject({ type: z.string() })).default([]),
  get properties() {
    return z.record(z.string(), Field).default({})
  },
  get items() {
    return Field.optional()
  },
})
type Field = z.infer<typeof Field>

const words: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  array: 'list',
  object: 'group',
}

/** Field, type and meaning of everything below a group, in its order. */
function rowsOf({ properties }: Field, prefix = ''): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const types = [field.type ?? field.anyOf.map(({ type }) => type)].flat()
    const type = types.map((each) => words[each] ?? 'null').join(' or ')
    const below = field.items === undefined ? rowsOf(field, `${path}.`) : rowsOf(field.items, `${path}[].`)
    return [[`\`${path}\``, type, field.description], ...below]
  })
}

/** The rows of the table under a heading, without its head. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`)
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('docs/pharmacy.md', () => {
  it('lists every field of a notice, as its schema describes it', () => {
    expect(tableUnder('Fields')).toEqual(rowsOf(Field.parse(schema)))
  })

  it('shows a notice that fits the schema, and the type that pawl has of it', () => {
    const examples = [...page.matchAll(/```json\n(\{[^]*?\n\})\n```/g)].map(([, text = '']): unknown =>
      JSON.parse(text),
    )
    const ajv = new Ajv2020()
    addFormats.default(ajv)
    const validate = ajv.compile(z.record(z.string(), z.unknown()).parse(schema))
    expect(examples).toHaveLength(1)
    for (const example of examples) {
      expect(validate(example), JSON.stringify(validate.errors)).toBe(true)
      expect(TransferNotice.parse(example)).toEqual(example)
    }
  })

  it('names every setting of the pharmacy', () => {
    const settings = Object.keys(Environment.shape).filter((name) => name.startsWith('PHARMACY_'))
    for (const name of settings) expect(page).toContain(`\`${name}\``)
  })
})
