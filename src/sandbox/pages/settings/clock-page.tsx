import { count } from '../../../base/pages/words.tsx'
import type { ClockReading } from '../../platform/controls.ts'
import { ButtonForm, Field, PostForm } from '../form.tsx'
import { ClockTiles } from '../clock-tiles.tsx'
import { Layout, LivePart } from '../layout.tsx'

const address = '/_sandbox/pages/clock'

/** How far each button leaps, in milliseconds. */
export const leaps = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 } as const

/** What was done on the page just now. */
export type ClockDeed = { leapt: keyof typeof leaps; transitions: number } | { stepped?: { id: string; state: string } }

/** Sandbox time: what it is, how fast it runs, and leaps. */
export function ClockPage({ clock, deed }: { clock: ClockReading; deed?: ClockDeed | undefined }) {
  return (
    <Layout title="Clock" at={address} live={address}>
      {deed !== undefined && (
        <p class="note" role="status">
          {told(deed)}
        </p>
      )}
      <LivePart name="clock">
        <dl class="tiles">
          <ClockTiles clock={clock} />
        </dl>
      </LivePart>
      <h2>Speed</h2>
      <p>
        At 1 a day takes a day; at 1,000 about a minute and a half; paused, time moves only by what is done here. It
        never goes back.
      </p>
      <div class="bar">
        <PostForm action={address} label="Speed">
          <Field
            name="speed"
            label="Times as fast"
            type="number"
            min={0}
            step="any"
            value={clock.speed || 1_000}
            isRequired
          />
          <button type="submit">Run at this speed</button>
        </PostForm>
        <ButtonForm action={address} fields={{ speed: '0' }}>
          Pause the time
        </ButtonForm>
      </div>
      <h2>Leap</h2>
      <p>What falls due on the way happens in its order.</p>
      <p>
        <ButtonForm action={`${address}/step`} isMain>
          Step to the next transition
        </ButtonForm>
        {Object.keys(leaps).map((span) => (
          <ButtonForm key={span} action={`${address}/leap`} fields={{ by: span }}>
            Leap by one {span}
          </ButtonForm>
        ))}
      </p>
    </Layout>
  )
}

function told(deed: ClockDeed): string {
  if ('leapt' in deed) {
    const { leapt, transitions } = deed
    const what = transitions === 1 ? 'one transition' : `${transitions === 0 ? 'no' : count(transitions)} transitions`
    return `Time leapt by one ${leapt}: ${what} happened on the way.`
  }
  const { stepped } = deed
  if (stepped === undefined) return 'Nothing is scheduled, so nothing happened.'
  return `One transition happened: ${stepped.id} became ${stepped.state}.`
}
