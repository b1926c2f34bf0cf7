import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { Layout } from './console-layout.tsx'
import { countFailed } from './words.ts'
import { Clock } from '@pawl/base/pages/words'
import { PostForm, ReasonInput } from './forms.tsx'
import { Allowed } from './viewer.tsx'
import type { Pause, PauseTarget } from '@pawl/ledger/hot/pause'

/** Lists the pauses with their start and reason; empty without pauses. */
export function PauseBanner({ pauses }: { pauses: readonly Pause[] }) {
  if (pauses.length === 0) return null
  return (
    <div class="note warn">
      <p>Paused: webhooks are stored, and this work waits until it is resumed.</p>
      <ul>
        {pauses.map((pause) => (
          <li key={nameOfTarget(pause)}>
            <a href={addressOfPause(pause)}>{nameOfTarget(pause)}</a> since <Clock at={pause.since} />
            {pause.reason !== undefined && `: ${pause.reason}`}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface PausePageProps {
  target: PauseTarget
  /** Absent if it is not paused. */
  pause: Pause | undefined
  /** Pieces of work that wait for it; `undefined` if not paused, or not counted yet. */
  waiting: number | undefined
}

/** The page that pauses or resumes one handler, one system or all work. */
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
                <Clock at={pause.since} />
              </dd>
            </div>
            <div>
              <dt>Waiting for it</dt>
              <dd>{waiting === undefined ? '…' : countFailed(waiting)}</dd>
            </div>
          </dl>
          <p>{pause.reason === undefined ? 'No reason given.' : `Why: ${pause.reason}`}</p>
          <Allowed to="operate">
            <PostForm action="/handlers/resume" label="Resume" fields={{ ...fieldsOf(target), since: pause.since }}>
              <button type="submit" class="act">
                Resume {name}
              </button>
            </PostForm>
          </Allowed>
        </>
      )}
      <p>
        <a href="/handlers">Back to the handlers</a>
      </p>
    </Layout>
  )
}

const fieldsOf = ({ kind, name }: PauseTarget) => ({ kind, name })

const meanings = {
  handler: 'It does not run, and its work waits; other handlers continue.',
  system: 'It gets no requests, and work that needs it waits.',
  all: 'No handler runs and nothing is polled.',
} as const

function PauseForm({ target }: { target: PauseTarget }) {
  return (
    <PostForm action="/handlers/pause" label="Pause" fields={fieldsOf(target)}>
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
    </PostForm>
  )
}
