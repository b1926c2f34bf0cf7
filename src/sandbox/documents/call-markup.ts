import { html, type Markup } from './markup.ts'

/** What a call of an operation needs. */
export interface Call {
  method: string
  path: string
  /** Example bodies by name; none for an operation without a body. */
  examples: [name: string, body: unknown][]
}

/** A form that calls the operation, for browsers that run the page's script, and the call as a curl command. */
export function callMarkup({ method, path, examples }: Call): Markup {
  const template = curlTemplate(method, path, examples.length > 0)
  const [first] = examples
  const body = first === undefined ? '' : written(first[1])
  return html`<details class="call" data-method="${method}" data-path="${path}" data-curl="${template}">
    <summary>Try it, or copy it as curl</summary>
    <div data-scripted hidden role="group" aria-label="Call ${method} ${path}">
      ${
        path.includes('{id}')
          ? html`<label
              >id <input name="id" autocomplete="off" spellcheck="false" placeholder="of what you created"
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
    <pre tabindex="0"><code class="curl">${template.replace('{body}', () => quotable(body))}</code></pre>
    <p data-scripted hidden>
      <button type="button" class="copy">Copy with address and token</button>
      <span role="status" class="state-of-copy"></span>
    </p>
  </details>`
}

/** The command with `$SANDBOX`, `$TOKEN`, `{id}` and `{body}` to be filled in; the first two a shell can fill in itself. */
function curlTemplate(method: string, path: string, hasBody: boolean): string {
  const verb = method === 'GET' || (method === 'POST' && hasBody) ? '' : ` -X ${method}`
  const call = `curl -sS${verb} "$SANDBOX${path}" -H "Authorization: Bearer $TOKEN"`
  return hasBody ? `${call} -H 'Content-Type: application/json' -d '{body}'` : call
}

function written(body: unknown): string {
  return JSON.stringify(body, null, 2)
}

/** Text that stands between single quotes of a shell. */
function quotable(text: string): string {
  return text.replaceAll("'", String.raw`'\''`)
}
