import { createHash } from 'node:crypto'
import { html, type Markup, prose } from './markup.ts'
import { referenceStyle } from './reference-style.ts'
import { schemaMarkup } from './schema-markup.ts'
import type { JsonSchema } from './schemas.ts'

/** What the page reads of the OpenAPI document. */
interface OpenApi {
  info: { title: string; description: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, { description: string; example: unknown }>
  }
}

interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

type Content = Record<string, { schema: JsonSchema; examples: Record<string, { value: unknown }> }>

/** What the page reads of the AsyncAPI document. */
interface AsyncApi {
  info: { description: string }
  components: {
    messages: Record<
      string,
      { name: string; title: string; summary: string; payload: JsonSchema; examples: { payload: unknown }[] }
    >
    securitySchemes: Record<string, { description: string }>
  }
}

interface Place {
  method: string
  path: string
  operation: Operation
}

/** Lets nothing run and nothing load but the page's own style. */
export const referencePagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The reference as one page of HTML, made from the two documents. It needs no script and nothing from elsewhere. */
export function referencePage(openApiDocument: unknown, asyncApiDocument: unknown): string {
  // The compiler cannot see the shapes, which the documents' own validators check.
  const openApi = openApiDocument as OpenApi
  const asyncApi = asyncApiDocument as AsyncApi
  const places = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Place => ({ method: method.toUpperCase(), path, operation })),
  )
  // The policy's digest is of exactly what stands between the tags.
  const style: Markup = { html: `<style>${referenceStyle}</style>` }
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${openApi.info.title}</title>
        ${style}
      </head>
      <body>
        ${navigation(openApi, asyncApi, places)}
        <main>
          <h1>${openApi.info.title}</h1>
          <p>${prose(openApi.info.description)}</p>
          <p>
            Machine-readable: <a href="/openapi.json">openapi.json</a>, <a href="/asyncapi.json">asyncapi.json</a>. The
            controls under <code>/_sandbox/</code> are described in <code>docs/sandbox.md</code>.
          </p>
          <p>
            Every call carries <code>Authorization: Bearer &lt;token&gt;</code>. A token comes from
            <code>POST /_sandbox/tokens</code>, or from what the sandbox printed when it started.
          </p>
          ${openApi.tags.map(
            ({ name }) =>
              html`<h2>${name}</h2>
                ${places.filter(({ operation }) => operation.tags.includes(name)).map(operationMarkup)}`,
          )}
          <h2>Webhooks</h2>
          <p>${prose(asyncApi.info.description)}</p>
          ${Object.values(asyncApi.components.securitySchemes).map(({ description }) => html`<p><code>X-Webhook-Secret</code>: ${prose(description)}</p>`)}
          ${Object.entries(asyncApi.components.messages).map(messageMarkup)}
          <h2>Rate limits</h2>
          <table>
            <tbody>
              ${Object.entries(openApi.components.headers).map(
                ([name, { description, example }]) =>
                  html`<tr>
                    <th scope="row"><code>${name}</code></th>
                    <td>${prose(description)}<br /><code>${String(example)}</code></td>
                  </tr>`,
              )}
            </tbody>
          </table>
          <h2>Schemas</h2>
          ${Object.entries(openApi.components.schemas).map(
            ([name, schema]) =>
              html`<article id="schema-${name}">
                <h3>${name}</h3>
                ${schemaMarkup(schema)}
              </article>`,
          )}
        </main>
      </body>
    </html> `.html
}

function navigation({ tags, components }: OpenApi, asyncApi: AsyncApi, places: Place[]): Markup {
  const link = ({ method, path, operation }: Place) =>
    html`<li><a href="#${operation.operationId}">${badge(method)}${path}</a></li>`
  return html`<nav aria-label="Contents">
    ${tags.map(
      ({ name }) =>
        html`<h2>${name}</h2>
          <ul>
            ${places.filter(({ operation }) => operation.tags.includes(name)).map(link)}
          </ul>`,
    )}
    <h2>Webhooks</h2>
    <ul>
      ${Object.entries(asyncApi.components.messages).map(([key, { title }]) => html`<li><a href="#${key}">${title}</a></li>`)}
    </ul>
    <h2>Schemas</h2>
    <ul>
      ${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
    </ul>
  </nav>`
}

const badge = (method: string) => html`<span class="method ${method.toLowerCase()}">${method}</span> `

function operationMarkup({ method, path, operation }: Place): Markup {
  const { operationId, summary, description, requestBody, responses } = operation
  return html`<article id="${operationId}">
    <h3>${badge(method)}<code>${path}</code></h3>
    <p>${summary}.${description === undefined ? '' : prose(` ${description}`)}</p>
    ${
      requestBody === undefined
        ? undefined
        : html`<h4>Request</h4>
            ${contentMarkup(requestBody.content)}`
    }
    <h4>Answers</h4>
    ${Object.entries(responses).map(
      ([status, answer]) =>
        html`<details>
          <summary><strong>${status}</strong> ${prose(answer.description)}</summary>
          ${answer.content === undefined ? undefined : contentMarkup(answer.content)}
        </details>`,
    )}
  </article>`
}

function messageMarkup([key, { name, title, summary, payload, examples }]: [
  string,
  AsyncApi['components']['messages'][string],
]): Markup {
  return html`<article id="${key}">
    <h3>${badge('SEND')}<code>${name}</code></h3>
    <p>${title}. ${prose(summary)}</p>
    ${schemaMarkup(payload)} ${examples.map((example) => exampleMarkup('example', example.payload))}
  </article>`
}

function contentMarkup(content: Content): Markup {
  return html`${Object.values(content).map(
    ({ schema, examples }) =>
      html`${schemaMarkup(schema)}${Object.entries(examples).map(([name, { value }]) => exampleMarkup(name, value))}`,
  )}`
}

function exampleMarkup(name: string, value: unknown): Markup {
  return html`<details>
    <summary>${name}</summary>
    <pre><code>${JSON.stringify(value, null, 2)}</code></pre>
  </details>`
}
