import type { LifeCycle } from './life-cycles.ts'
import { html, type Markup, prose } from './markup.ts'
import { isTerminal, stateDiagram, targetsFromEverywhere } from './state-diagram.ts'
import type { Delay, Row } from '../platform/machine.ts'

/** A life cycle: meanings of its states, diagram, and table of moves. */
export function lifeCycleMarkup({ id, title, note, rows, meanings, conditions }: LifeCycle): Markup {
  const states = Object.keys(meanings)
  const everywhere = [...targetsFromEverywhere(rows)]
  return html`<article id="${id}">
    <h3>${title}</h3>
    <p>${prose(note)}</p>
    <figure>
      <div class="diagram" tabindex="0" role="group" aria-label="Diagram: ${title}">
        ${stateDiagram(id, `States of: ${title}. The table below lists the moves.`, states, rows)}
      </div>
      <figcaption>
        Solid lines are automatic moves, dashed ones happen on
        request.${
          everywhere.length === 0
            ? undefined
            : html` Not drawn: on request, every non-terminal state also leads to
              ${everywhere.map((state, index) => html`${index === 0 ? '' : ' and '}<code>${state}</code>`)}.`
        }
      </figcaption>
    </figure>
    <table>
      <caption>
        States
      </caption>
      <tbody>
        ${states.map(
          (state) =>
            html`<tr id="${id}.${state}" data-find="status">
              <th scope="row">
                <code>${state}</code>${isTerminal(state, rows) ? html` <small>terminal</small>` : undefined}
              </th>
              <td>${prose(capitalized(meanings[state] ?? ''))}.</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <details>
      <summary>Moves, as a table</summary>
      <p>The first move whose condition holds is taken. Delays are in sandbox time, and guesses.</p>
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">When</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => moveMarkup(row, conditions))}
        </tbody>
      </table>
    </details>
  </article>`
}

function moveMarkup({ from, to, when, after }: Row<string, string>, conditions: LifeCycle['conditions']): Markup {
  const condition = when === undefined ? (after === undefined ? 'on request' : 'otherwise') : (conditions[when] ?? when)
  return html`<tr>
    <td><code>${from}</code></td>
    <td><code>${to}</code></td>
    <td>${prose(condition)}</td>
    <td>${after === undefined ? 'immediately' : spanOf(after)}</td>
  </tr>`
}

/** A delay in minutes, or in hours where both ends are whole hours. */
function spanOf([min, max]: Delay): string {
  const isHours = min % 3_600_000 === 0 && max % 3_600_000 === 0
  const [unit, word] = isHours ? [3_600_000, 'hours'] : [60_000, 'minutes']
  return `${min / unit} to ${max / unit} ${word}`
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}
