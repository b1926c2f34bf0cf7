import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { ReasonInput } from './reason-input.tsx'
import { Layout } from './console-layout.tsx'
import { countFailed } from './words.ts'
import { count, When, plural } from '@pawl/base/pages/words'
import { Allowed, FormToken } from './viewer.tsx'
import type { Pause, PauseTarget } from '@pawl/ledger/hot/pause'

/** Lists the pauses, with since when and why; empty without any. */
export function PauseBanner({ pauses }: { pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null
  return (
    <div class="note warn">
      <p>Paused: webhooks are stored, and this work waits until it is resumed.</p>
      <ul>
        {pauses.map((pause) => (
          <li key={nameOfTarget(pause)}>
            <a href={addressOfPause(pause)}>{nameOfTarget(pause)}</a> since <When at={pause.since} />
            {pause.reason !== undefined && `: ${pause.reason}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What was resumed just before, and the resources that it made due; under a pause of all work they stayed due. */
export interface Resumed {
  target: PauseTarget
  resources: number
}

/** Says what was resumed. */
export function ResumedNote({ resumed }: { resumed: Resumed | undefined }) {
  if (resumed === undefined) return null
  const { target, resources } = resumed
  return (
    <p class="note" role="status">
      Resumed {nameOfTarget(target)}:{' '}
      {target.kind === 'all' ? 'its work goes on.' : `${count(resources)} ${plural(resources, 'resource')} now due.`}
    </p>
  )
}

interface PausePageProps {
  target: PauseTarget
  /** Absent if not paused. */
  pause: Pause | undefined
  /** Pieces of work that wait for it; `undefined` if not paused, or not counted yet. */
  waiting: number | undefined
}

/** Pauses one handler, one system or all work, or resumes it. */
export function PausePage({ target, pause, waiting }: PausePageProps) {
  const name = nameOfTarget(target)
  return (
    <Layout title={pause === undefined ? `Pause ${name}` : `Paused: ${name}`} at="/handlers">
      {pause === undefined ? (
        <Allowed to="operate">
          <PauseForm target={target} />
        </Allowed>
      ) : (
        <>
          <dl class="tiles">
            <div>
              <dt>Since</dt>
              <dd>
                <When at={pause.since} />
              </dd>
            </div>
            <div>
              <dt>Waiting for it</dt>
              <dd>{waiting === undefined ? '…' : countFailed(waiting)}</dd>
            </div>
          </dl>
          <p>{pause.reason === undefined ? 'No reason given.' : `Why: ${pause.reason}`}</p>
          <Allowed to="operate">
            <form method="post" action="/handlers/resume" aria-label="Resume">
              <TargetFields target={target} />
              <input type="hidden" name="since" value={pause.since} />
              <button type="submit" class="act">
                Resume {name}
              </button>
            </form>
          </Allowed>
        </>
      )}
      <p>
        <a href="/handlers">Back to the handlers</a>
      </p>
    </Layout>
  )
}

function TargetFields({ target: { kind, name } }: { target: PauseTarget }) {
  return (
    <>
      <FormToken />
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="name" value={name} />
    </>
  )
}

const meanings = {
  handler: 'It does not run, and its work waits; other handlers continue.',
  system: 'It gets no requests, and work that needs it waits.',
  all: 'No handler runs and nothing is polled.',
} as const

function PauseForm({ target }: { target: PauseTarget }) {
  return (
    <form method="post" action="/handlers/pause" aria-label="Pause">
      <TargetFields target={target} />
      <p>
        {meanings[target.kind]} Webhooks are still accepted, nothing is lost, and running work finishes first. A pause
        applies to all processes and survives restarts.
      </p>
      <p>
        <label for="reason">Reason, shown on this page (nothing about a patient)</label>
        <ReasonInput id="reason" />
      </p>
      <button type="submit" class="act">
        Pause {nameOfTarget(target)}
      </button>
    </form>
  )
}
