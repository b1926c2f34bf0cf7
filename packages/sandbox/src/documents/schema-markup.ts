import type { JsonSchema } from '@pawl/base/openapi-components'
import { asSchema } from './json-schema.ts'
import { html, type Markup, prose } from './markup.ts'

type Schema = JsonSchema

/** Link targets of properties, by path. */
interface Anchors {
  of(path: string): string | undefined
}

const none: Anchors = { of: () => undefined }

/** Like `schemaMarkup` for a named schema, with link targets for its properties. */
export function namedSchemaMarkup(name: string, schema: Schema): Markup {
  const used = new Set<string>()
  // Alternatives repeat property names; links lead to the first.
  const of = (path: string) => (used.has(path) ? undefined : (used.add(path), `schema-${name}.${path}`))
  return schemaMarkup(schema, { of })
}

/** A schema as a line if simple, a table for an object, a list for alternatives. */
export function schemaMarkup(schema: Schema, anchors = none, path = ''): Markup {
  const alternatives = alternativesOf(schema)
  if (schema.properties !== undefined) return html`${rules(schema)}${propertyTable(schema, anchors, path)}`
  if (alternatives !== undefined && !isPlain(schema))
    return html`<p>One of:</p>
      <ul>
        ${alternatives.map((one) => html`<li>${schemaMarkup(one, anchors, path)}</li>`)}
      </ul>`
  const item = schema.type === 'array' ? asSchema(schema.items) : undefined
  if (item !== undefined && !isPlain(item)) return schemaMarkup(item, anchors, `${path}[]`)
  return html`<p>${typeMarkup(schema)}</p>`
}

function propertyTable({ properties = {}, required = [] }: Schema, anchors: Anchors, path: string): Markup {
  const rows = Object.entries(properties).map(([name, property]) => {
    const schema = asSchema(property) ?? {}
    const place = path === '' ? name : `${path}.${name}`
    const anchor = anchors.of(place)
    const found = anchor === undefined ? undefined : html` id="${anchor}" data-find="property"`
    const inner = isPlain(schema)
      ? undefined
      : html`<details>
          <summary>its fields</summary>
          ${schemaMarkup(schema, anchors, place)}
        </details>`
    return html`<tr${found}>
      <th scope="row"><code>${name}</code>${required.includes(name) ? html` <em>required</em>` : undefined}</th>
      <td>${typeMarkup(schema)}${inner}</td>
    </tr>`
  })
  return html`<table>
    <tbody>
      ${rows}
    </tbody>
  </table>`
}

/** Rules over several fields: at least one of, exactly one of. */
function rules({ allOf }: Schema): Markup | undefined {
  const { anyOf, oneOf } = asSchema(allOf?.[0]) ?? {}
  const [name, branches] =
    oneOf === undefined ? (['At least one of', anyOf] as const) : (['Exactly one of', oneOf] as const)
  const fields = branches?.flatMap((branch) => asSchema(branch)?.required ?? [])
  if (fields === undefined || fields.length === 0) return undefined
  return html`<p>${name}: ${fields.map((field, index) => html`${index === 0 ? '' : ', '}<code>${field}</code>`)}</p>`
}

/** Whether the schema fits in a line: it has no fields. */
function isPlain(schema: Schema): boolean {
  if (schema.properties !== undefined) return false
  const inner = [...(alternativesOf(schema) ?? []), ...(schema.type === 'array' ? [asSchema(schema.items) ?? {}] : [])]
  return inner.every(isPlain)
}

function alternativesOf({ anyOf, oneOf }: Schema): Schema[] | undefined {
  return (anyOf ?? oneOf)?.map((one) => asSchema(one) ?? {})
}

function typeMarkup(schema: Schema): Markup {
  const { description, examples } = schema
  const example = Array.isArray(examples) ? shortened(examples[0]) : undefined
  const [, about = description, place] = /^(.*) \[(.*)\]$/s.exec(description ?? '') ?? []
  return html`${kindMarkup(schema)}${
    'default' in schema ? html` <small>default <code>${JSON.stringify(schema.default)}</code></small>` : undefined
  }${
    about === undefined
      ? undefined
      : html` <span class="about"
          >${prose(about)}${place === undefined ? undefined : html` <small>[${place}]</small>`}</span
        >`
  }${example === undefined ? undefined : html` <small>e.g. <code>${example}</code></small>`}`
}

function shortened(example: unknown): string {
  const text = String(example)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}

function kindMarkup(schema: Schema): Markup {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum !== undefined)
    return html`${schema.enum.map((value, index) => html`${index === 0 ? '' : ' | '}<code>${String(value)}</code>`)}`
  if (schema.properties !== undefined) return html`object`
  const alternatives = alternativesOf(schema)
  if (alternatives !== undefined)
    return html`${distinct(alternatives.map(kindMarkup)).map((one, index) => html`${index === 0 ? '' : ' or '}${one}`)}`
  if (schema.type === 'array') return html`array of ${kindMarkup(asSchema(schema.items) ?? {})}`
  return html`${[schema.type ?? 'anything'].flat().join(' or ')}${limits(schema)}`
}

function distinct(parts: readonly Markup[]): Markup[] {
  return [...new Set(parts.map(({ html: text }) => text))].map((text) => ({ html: text }))
}

/** Max length of a pattern that reads faster than a sentence. */
const longestPattern = 12

function limits(schema: Schema): Markup | undefined {
  const words = [
    schema.format,
    schema.contentEncoding,
    schema.minLength === 1 ? 'not empty' : undefined,
    schema.minimum === undefined ? undefined : `from ${schema.minimum}`,
    schema.exclusiveMinimum === undefined ? undefined : `above ${schema.exclusiveMinimum}`,
    schema.maximum === undefined ? undefined : `to ${schema.maximum}`,
    schema.pattern !== undefined && schema.pattern.length <= longestPattern ? schema.pattern : undefined,
  ].filter((word) => word !== undefined)
  return words.length === 0 ? undefined : html` <small>(${words.join(', ')})</small>`
}
