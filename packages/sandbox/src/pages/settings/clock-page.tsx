import { count } from '@pawl/base/pages/words'
import type { ClockReading } from '../../platform/controls.ts'
import { ButtonForm, Field, PostForm } from '../form.tsx'
import { ClockTiles } from '../clock-tiles.tsx'
import { Layout, LivePart } from '../sandbox-layout.tsx'

const address = '/_sandbox/pages/clock'

/** Milliseconds by button. */
export const spans = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const

/** The last action on the page. */
export type ClockAction =
  { advanced: keyof typeof spans; transitions: number } | { stepped?: { id: string; state: string } }

/** Sandbox time: reading, speed, and controls to advance it. */
export function ClockPage({ clock, action }: { clock: ClockReading; action?: ClockAction | undefined }) {
  return (
    <Layout title="Clock" at={address} live={address}>
      {action !== undefined && (
        <p class="note" role="status">
          {describe(action)}
        </p>
      )}
      <LivePart name="clock">
        <dl class="tiles">
          <ClockTiles clock={clock} />
        </dl>
      </LivePart>
      <h2>Speed</h2>
      <p>
        At 1, a day takes a day; at 1,000, about a minute and a half. Paused time moves only by the controls below. Time
        never goes back.
      </p>
      <LivePart name="speed">
        <div class="actions">
          <PostForm action={address} label="Speed">
            <Field
              name="speed"
              label="Speed factor"
              type="number"
              min={0}
              step="any"
              value={clock.speed || 1_000}
              isRequired
            />
            <button type="submit">{clock.speed === 0 ? 'Resume at this speed' : 'Set the speed'}</button>
          </PostForm>
          {clock.speed !== 0 && (
            <ButtonForm action={address} fields={{ speed: '0' }}>
              Pause time
            </ButtonForm>
          )}
        </div>
      </LivePart>
      <h2>Advance</h2>
      <p>Transitions due on the way happen in order.</p>
      <div class="actions">
        <ButtonForm action={`${address}/step`} tone="act">
          Step to the next transition
        </ButtonForm>
        {Object.keys(spans).map((span) => (
          <ButtonForm key={span} action={`${address}/advance`} fields={{ by: span }}>
            Advance by one {span}
          </ButtonForm>
        ))}
      </div>
    </Layout>
  )
}

function describe(action: ClockAction): string {
  if ('advanced' in action) {
    const { advanced, transitions } = action
    const what = transitions === 1 ? 'one transition' : `${transitions === 0 ? 'no' : count(transitions)} transitions`
    return `Time advanced by one ${advanced}: ${what} ran.`
  }
  const { stepped } = action
  if (stepped === undefined) return 'No transition is scheduled.'
  return `One transition ran: ${stepped.id} became ${stepped.state}.`
}
