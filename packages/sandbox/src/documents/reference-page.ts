import { createHash } from 'node:crypto'
import { callMarkup } from './call-markup.ts'
import { detailCodeMarkup } from './detail-code-markup.ts'
import { errorMarkup } from './error-markup.ts'
import type { JsonSchema } from '@pawl/base/openapi-components'
import { lifeCycleMarkup } from './life-cycle-markup.ts'
import { lifeCycles } from './life-cycles.ts'
import { html, type Markup, prose } from './markup.ts'
import { referenceStyle } from './reference-style.ts'
import { namedSchemaMarkup, schemaMarkup } from './schema-markup.ts'

/** Parts of the OpenAPI document that the page reads. */
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

type Content = Record<
  string,
  { schema: JsonSchema; examples: Record<string, { value: unknown; description?: string }> }
>

/** Parts of the AsyncAPI document that the page reads. */
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

interface PathOperation {
  method: string
  path: string
  operation: Operation
}

/** Path of the page's script. */
export const scriptPath = '/docs/reference.js'

/** Allows only the page's own style, and scripts and calls of this sandbox. */
export const referencePagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The reference as one HTML page, made from the two documents. Readable without its script; loads nothing from other origins. */
export function referencePage(openApiDocument: unknown, asyncApiDocument: unknown): string {
  // The compiler cannot see the shapes, which the documents' own validators check.
  const openApi = openApiDocument as OpenApi
  const asyncApi = asyncApiDocument as AsyncApi
  const operations = Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PathOperation => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )
  // The policy's digest covers exactly the text between the tags.
  const style: Markup = { html: `<style>${referenceStyle}</style>` }
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${openApi.info.title}</title>
        ${style}
        <script src="${scriptPath}" defer></script>
      </head>
      <body>
        <a class="skip" href="#contents">Contents</a>
        <main>
          <h1>${openApi.info.title}</h1>
          ${searchMarkup}
          <p>${prose(openApi.info.description)}</p>
          <p>
            Machine-readable: <a href="/openapi.json">openapi.json</a>, <a href="/asyncapi.json">asyncapi.json</a>.
            Current state: <a href="/_sandbox/">pages of this sandbox</a>; <code>docs/sandbox.md</code> describes the
            controls. Brackets after a text cite the interface's documents.
          </p>
          <p>
            Every call carries <code>Authorization: Bearer &lt;token&gt;</code>. A token comes from
            <code>POST /_sandbox/tokens</code>, or from the sandbox's output at its start.
          </p>
          <p data-scripted hidden>
            <label
              >Token for calls on this page
              <input
                id="token"
                autocomplete="off"
                spellcheck="false"
                placeholder="issued by this sandbox at the first call"
            /></label>
          </p>
          ${openApi.tags.map(
            ({ name }) =>
              html`<h2>${name}</h2>
                ${operations.filter(({ operation }) => operation.tags.includes(name)).map(operationMarkup)}`,
          )}
          <h2>Webhooks</h2>
          <p>${prose(asyncApi.info.description)}</p>
          ${Object.values(asyncApi.components.securitySchemes).map(({ description }) => html`<p><code>X-Webhook-Secret</code>: ${prose(description)}</p>`)}
          ${Object.entries(asyncApi.components.messages).map(messageMarkup)}
          <h2 id="statuses">Statuses</h2>
          ${lifeCycles.map(lifeCycleMarkup)}
          <h2 id="detail-codes">Detail codes of an outcome</h2>
          ${detailCodeMarkup()}
          <h2 id="errors">Errors</h2>
          ${errorMarkup()}
          <h2 id="limits">Rate limits</h2>
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
              html`<article id="schema-${name}" data-find="schema">
                <h3>${name}</h3>
                ${namedSchemaMarkup(name, schema)}
              </article>`,
          )}
        </main>
        ${navigation(openApi, asyncApi, operations)}
      </body>
    </html> `.html
}

const searchMarkup = html`<div class="search" role="search" data-scripted hidden>
  <label for="search">Search operations, properties, statuses, codes and errors</label>
  <input id="search" type="search" autocomplete="off" spellcheck="false" />
  <p id="found-count" role="status"></p>
  <ul id="found" hidden></ul>
</div>`

function navigation({ tags, components }: OpenApi, asyncApi: AsyncApi, operations: PathOperation[]): Markup {
  const link = ({ method, path, operation }: PathOperation) =>
    html`<li><a href="#${operation.operationId}">${badge(method)}${path}</a></li>`
  return html`<nav id="contents" aria-label="Contents">
    ${tags.map(
      ({ name }) =>
        html`<h2>${name}</h2>
          <ul>
            ${operations.filter(({ operation }) => operation.tags.includes(name)).map(link)}
          </ul>`,
    )}
    <h2>Webhooks</h2>
    <ul>
      ${Object.entries(asyncApi.components.messages).map(([key, { title }]) => html`<li><a href="#${key}">${title}</a></li>`)}
    </ul>
    <h2>Statuses</h2>
    <ul>
      ${lifeCycles.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
    <h2>Codes, errors and limits</h2>
    <ul>
      <li><a href="#detail-codes">Detail codes of an outcome</a></li>
      <li><a href="#errors">Errors</a></li>
      <li><a href="#limits">Rate limits</a></li>
    </ul>
    <h2>Schemas</h2>
    <ul>
      ${Object.keys(components.schemas).map((name) => html`<li><a href="#schema-${name}">${name}</a></li>`)}
    </ul>
  </nav>`
}

const badge = (method: string) => html`<span class="method ${method.toLowerCase()}">${method}</span> `

function operationMarkup({ method, path, operation }: PathOperation): Markup {
  const { operationId, summary, description, requestBody, responses } = operation
  const examples = Object.values(requestBody?.content ?? {}).flatMap((one) => Object.entries(one.examples))
  return html`<article id="${operationId}" data-find="operation">
    <h3>${badge(method)}<code>${path}</code></h3>
    <p>${summary}.${description === undefined ? '' : prose(` ${description}`)}</p>
    ${
      requestBody === undefined
        ? undefined
        : html`<h4>Request</h4>
            ${contentMarkup(requestBody.content)}`
    }
    ${callMarkup({ method, path, examples: examples.map(([name, { value }]) => [name, value]) })}
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
  return html`<article id="${key}" data-find="event">
    <h3>${badge('SEND')}<code>${name}</code></h3>
    <p>${title}. ${prose(summary)}</p>
    ${schemaMarkup(payload)} ${examples.map((example) => exampleMarkup('example', example.payload))}
  </article>`
}

function contentMarkup(content: Content): Markup {
  return html`${Object.values(content).map(
    ({ schema, examples }) =>
      html`${schemaMarkup(schema)}${Object.entries(examples).map(([name, { value, description }]) => exampleMarkup(name, value, description))}`,
  )}`
}

function exampleMarkup(name: string, value: unknown, description?: string): Markup {
  return html`<details>
    <summary>${name}</summary>
    ${description === undefined ? undefined : html`<p><strong>What to do:</strong> ${prose(description)}</p>`}
    <pre><code>${JSON.stringify(value, null, 2)}</code></pre>
  </details>`
}
