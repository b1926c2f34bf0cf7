import { remedies, uncodedRemedies } from './error-texts.ts'
import { html, type Markup, prose } from './markup.ts'
import { documentedErrors } from 'pawl-client/schemas/documented-errors'
import { commonErrors, nameOf, operations } from '../platform/operations.ts'

/** Table of errors with status, meaning, remedy and operations. */
export function errorMarkup(): Markup {
  const coded = Object.entries(documentedErrors).map(([code, [status, title, description]]) => ({
    code,
    status,
    meaning: `${title}. ${description}`,
    places: placesOf(code),
  }))
  const exceeded = {
    code: 'rate_limit_exceeded',
    status: 429,
    meaning: 'Rate limit exceeded. A limit of the organization is used up.',
    places: 'every operation',
  }
  const texts: Record<string, string> = remedies
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Meaning, and what to do</th>
      </tr>
    </thead>
    <tbody>
      ${[...coded, exceeded].map(
        ({ code, status, meaning, places }) =>
          html`<tr id="error-${code}" data-find="error">
            <th scope="row"><code>${code}</code> <small>${status}</small></th>
            <td>
              <p>${meaning}</p>
              <p><strong>What to do:</strong> ${prose(texts[code] ?? '')}</p>
              <p><small>Answered by ${places}.</small></p>
            </td>
          </tr>`,
      )}
      <tr id="error-detail" data-find="error">
        <th scope="row"><code>detail</code>, a sentence <small>400, 404</small></th>
        <td>
          <p>Errors without a code, of operations on a PA.</p>
          <p><strong>What to do:</strong> ${prose(uncodedRemedies.DetailError)}</p>
        </td>
      </tr>
      <tr id="error-validation" data-find="error">
        <th scope="row"><code>detail</code>, a list <small>422</small></th>
        <td>
          <p>Validation: the request does not fit its schema.</p>
          <p><strong>What to do:</strong> ${prose(uncodedRemedies.ValidationError)}</p>
        </td>
      </tr>
    </tbody>
  </table>`
}

function placesOf(code: string): string {
  const common: readonly string[] = commonErrors
  if (common.includes(code)) return 'every operation'
  return operations
    .filter(({ errors }) => errors.some((one) => one === code))
    .map(nameOf)
    .join(', ')
}
