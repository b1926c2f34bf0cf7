import { html, type Markup } from './markup.ts'
import type { JsonSchema } from './schemas.ts'

type Schema = JsonSchema

/** What a schema allows: a line for what is simple, a table for an object, a list for alternatives. */
export function schemaMarkup(schema: Schema): Markup {
  const alternatives = alternativesOf(schema)
  if (schema.properties !== undefined) return html`${rules(schema)}${propertyTable(schema)}`
  if (alternatives !== undefined && !isPlain(schema))
    return html`<p>One of:</p>
      <ul>
        ${alternatives.map((one) => html`<li>${schemaMarkup(one)}</li>`)}
      </ul>`
  const item = schema.type === 'array' ? asSchema(schema.items) : undefined
  if (item !== undefined && !isPlain(item))
    return html`<p>${typeMarkup(schema)}</p>
      ${schemaMarkup(item)}`
  return html`<p>${typeMarkup(schema)}</p>`
}

function propertyTable({ properties = {}, required = [] }: Schema): Markup {
  const rows = Object.entries(properties).map(([name, property]) => {
    const schema = asSchema(property) ?? {}
    const inner = isPlain(schema)
      ? undefined
      : html`<details>
          <summary>its fields</summary>
          ${schemaMarkup(schema)}
        </details>`
    return html`<tr>
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
function rules({ anyOf, oneOf }: Schema): Markup | undefined {
  const [name, branches] =
    oneOf === undefined ? (['At least one of', anyOf] as const) : (['Exactly one of', oneOf] as const)
  const fields = branches?.flatMap((branch) => asSchema(branch)?.required ?? [])
  if (fields === undefined || fields.length === 0) return undefined
  return html`<p>${name}: ${fields.map((field, index) => html`${index === 0 ? '' : ', '}<code>${field}</code>`)}</p>`
}

/** Fits in a line: names no fields of its own. */
function isPlain(schema: Schema): boolean {
  if (schema.properties !== undefined) return false
  const inner = [...(alternativesOf(schema) ?? []), ...(schema.type === 'array' ? [asSchema(schema.items) ?? {}] : [])]
  return inner.every(isPlain)
}

function alternativesOf({ anyOf, oneOf }: Schema): Schema[] | undefined {
  return (anyOf ?? oneOf)?.map((one) => asSchema(one) ?? {})
}

function typeMarkup(schema: Schema): Markup {
  return html`${kindMarkup(schema)}${schema.description === undefined ? undefined : html` <span>${schema.description}</span>`}`
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
    return html`${alternatives.map((one, index) => html`${index === 0 ? '' : ' or '}${kindMarkup(one)}`)}`
  if (schema.type === 'array') return html`array of ${kindMarkup(asSchema(schema.items) ?? {})}`
  return html`${[schema.type ?? 'anything'].flat().join(' or ')}${limits(schema)}`
}

function limits(schema: Schema): Markup | undefined {
  const words = [
    schema.format,
    schema.contentEncoding,
    schema.minLength === 1 ? 'not empty' : undefined,
    schema.minimum === undefined ? undefined : `from ${schema.minimum}`,
    schema.exclusiveMinimum === undefined ? undefined : `above ${schema.exclusiveMinimum}`,
    schema.maximum === undefined ? undefined : `to ${schema.maximum}`,
    schema.pattern === undefined || schema.description !== undefined ? undefined : schema.pattern,
  ].filter((word) => word !== undefined)
  return words.length === 0 ? undefined : html` <small>(${words.join(', ')})</small>`
}

/** JSON Schema allows true and false in place of a schema. */
function asSchema(schema: unknown): Schema | undefined {
  // The compiler cannot see that whatever is an object here is a schema.
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as Schema) : undefined
}
