import { html, type Markup } from './markup.ts'

/** A call of an operation. */
export interface Call {
  method: string
  path: string
  /** Example bodies by name; none for an operation without a body. */
  examples: [name: string, body: unknown][]
}

/** By path: values of an example that the service accepts only once, with their replacements in each call; `#` is a number of ten digits. */
const uniqueValues: Record<string, Record<string, string>> = {
  '/prior-authorization': { 'rx-0001': 'rx-#' },
  '/provider/authorize': { '1234567893': '#', 'max.muster@example.com': 'max.muster.#@example.com' },
}

/** That number as shell arithmetic; it repeats within a second if the shell lacks RANDOM. */
const freshNumber = '$(($(date +%s) + RANDOM * 30000))'

/** A form that calls the operation by script, and the call as a curl command. */
export function callMarkup({ method, path, examples }: Call): Markup {
  const template = curlTemplate(method, path, examples.length > 0)
  const [first] = examples
  const body = first === undefined ? '' : written(first[1])
  const fresh = uniqueValues[path] ?? {}
  return html`<details
    class="call"
    data-method="${method}"
    data-path="${path}"
    data-curl="${template}"
    data-fresh="${JSON.stringify(fresh)}"
    data-number="${freshNumber}"
  >
    <summary>Try it, or copy as curl</summary>
    <div data-scripted hidden role="group" aria-label="Call ${method} ${path}">
      ${
        path.includes('{id}')
          ? html`<label
              >id <input name="id" autocomplete="off" spellcheck="false" placeholder="of a resource you created"
            /></label>`
          : undefined
      }
      ${
        examples.length > 1
          ? html`<label
              >Example
              <select name="example">
                ${examples.map(([name, value]) => html`<option value="${written(value)}">${name}</option>`)}
              </select></label
            >`
          : undefined
      }
      ${
        first === undefined
          ? undefined
          : html`<label>Body <textarea name="body" rows="12" spellcheck="false">${body}</textarea></label>`
      }
      <button type="button" class="send">Send</button>
      <p role="status" class="state-of-answer"></p>
      <pre class="answer" tabindex="0" hidden></pre>
    </div>
    <pre
      tabindex="0"
    ><code class="curl">${template.replace('{body}', () => repeatable(quotable(body), fresh))}</code></pre>
    <p data-scripted hidden>
      <button type="button" class="copy">Copy with address and token</button>
      <span role="status" class="state-of-copy"></span>
    </p>
  </details>`
}

/** The command with the placeholders `$SANDBOX`, `$TOKEN`, `{id}` and `{body}`; a shell can expand the first two. */
function curlTemplate(method: string, path: string, hasBody: boolean): string {
  const verb = method === 'GET' || (method === 'POST' && hasBody) ? '' : ` -X ${method}`
  const call = `curl -sS${verb} "$SANDBOX${path}" -H "Authorization: Bearer $TOKEN"`
  return hasBody ? `${call} -H 'Content-Type: application/json' -d '{body}'` : call
}

function written(body: unknown): string {
  return JSON.stringify(body, null, 2)
}

/** Escapes text for single quotes of a shell. */
function quotable(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}

/** Replaces unique values in a quoted body by shell expressions. */
function repeatable(quoted: string, fresh: Record<string, string>): string {
  return Object.entries(fresh).reduce(
    (text, [value, replacement]) =>
      text.replaceAll(`"${value}"`, () => `"${replacement.replace('#', () => `'${freshNumber}'`)}"`),
    quoted,
  )
}
