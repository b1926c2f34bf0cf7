import { allDetailCodes, detailCodes } from 'pawl-client/schemas/outcome'
import { detailCodeMeanings } from './detail-code-meanings.ts'
import { html, type Markup, prose } from './markup.ts'

/** Table of the detail codes of a PA's outcome, with meanings and results. */
export function detailCodeMarkup(): Markup {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Code</th>
        <th scope="col">Meaning</th>
        <th scope="col">Result</th>
      </tr>
    </thead>
    <tbody>
      ${[...new Set(allDetailCodes)].map(
        (code) =>
          html`<tr id="detail-code-${code}" data-find="detail code">
            <th scope="row"><code>${code}</code></th>
            <td>${prose(detailCodeMeanings[code])}</td>
            <td>${resultsOf(code)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function resultsOf(code: string): string {
  return Object.entries(detailCodes)
    .filter(([, codes]) => codes.some((one) => one === code))
    .map(([result]) => result)
    .join(', ')
}
