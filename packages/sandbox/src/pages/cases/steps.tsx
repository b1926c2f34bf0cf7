import { isTerminal } from 'pawl-client/schemas/kinds'
import type { ComponentChildren } from 'preact'
import { transferErrorCodes } from 'pawl-client/schemas/outcome'
import { caseKinds } from '../../cases/case-kinds.ts'
import { asPriorAuthorization, type CasePart, partsOf, ruleAgainstCase } from '../../cases/read-case-story.ts'
import type { CaseRecord } from '../../cases/read-cases.ts'
import { type NextStep, nextSteps } from '../../platform/next-steps.ts'
import { benefitsCheckRows } from '../../prior-authorization/benefits-check-states.ts'
import { statusOf, type Verdict, verdicts } from '../../prior-authorization/pa-verdict.ts'
import { fieldsOfTransferPush, prescriptionTransferRows } from '../../prior-authorization/transfer-states.ts'
import { Breakable } from '@pawl/base/pages/breakable'
import { Choice, Field, PostForm } from '../form.tsx'
import { addressOfCase } from './addresses.ts'
import { outcomeOption, ResultChoice } from './result-choice.tsx'

/** The page's name for a part, and the form that moves it. */
const forms: Record<CasePart, { name: string; path: string; field: string }> = {
  case: { name: '', path: 'push', field: 'status' },
  transfer: { name: 'transfer', path: 'transfer', field: 'state' },
  benefits_check: { name: 'benefits check', path: 'benefits-check', field: 'state' },
}

interface PartSteps {
  of: CasePart
  state: string
  steps: NextStep[]
}

/** The possible next steps of a case and its parts, one row each. The others follow behind one line, with their obstacles. */
export function CaseSteps({ record }: { record: CaseRecord }) {
  const parts = stepsOf(record)
  const open = parts.filter(({ steps }) => steps.some(({ obstacle }) => obstacle === undefined))
  const blocked = open.flatMap(({ of, steps }) =>
    steps.flatMap(({ to, obstacle }) => (obstacle === undefined ? [] : [{ name: named(of, to), obstacle }])),
  )
  return (
    <>
      {parts
        .filter((part) => !open.includes(part))
        .map(({ of, state }) => (
          <p key={of}>
            {of === 'case' ? 'The case' : `The ${forms[of].name}`} ended as <strong>{state}</strong>: no other status
            follows.
          </p>
        ))}
      {(open.length > 0 || changedOutcomes(record).length > 0) && (
        <ul class="next-steps">
          <ReviewStep record={record} />
          {open.flatMap(({ of, state, steps }) =>
            steps
              .filter(({ obstacle }) => obstacle === undefined)
              .map(({ to }) => (
                <StepRow
                  key={named(of, to)}
                  action={`${addressOfCase(record.id)}/${forms[of].path}`}
                  fields={{ [forms[of].field]: to, was: state }}
                  status={named(of, to)}
                  button="Move"
                  says={`Move ${forms[of].name === '' ? '' : `${forms[of].name} `}to ${to}`}
                >
                  <StepChoice record={record} of={of} to={to} />
                </StepRow>
              )),
          )}
          <OutcomeSteps record={record} />
        </ul>
      )}
      {blocked.length > 0 && (
        <details id="blocked-steps">
          <summary>Not possible now, and why ({blocked.length})</summary>
          <dl class="content">
            {blocked.map(({ name, obstacle }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{obstacle}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  )
}

const named = (of: CasePart, to: string) => (of === 'case' ? to : `${forms[of].name}: ${to}`)

function stepsOf(record: CaseRecord): PartSteps[] {
  const { case: own, transfer, benefits_check: check } = partsOf(record)
  const parts: PartSteps[] = []
  if (own !== undefined) {
    const steps = nextSteps(caseKinds[record.kind].rows, own.state, (row) => ruleAgainstCase(record, row))
    parts.push({ of: 'case', state: own.state, steps })
  }
  if (transfer !== undefined)
    parts.push({ of: 'transfer', state: transfer.state, steps: nextSteps(prescriptionTransferRows, transfer.state) })
  if (check !== undefined) {
    // It stops only with its PA.
    const steps = nextSteps(benefitsCheckRows, check.state).filter(({ to }) => to === 'completed')
    parts.push({ of: 'benefits_check', state: check.state, steps })
  }
  return parts
}

function StepChoice({ record, of, to }: { record: CaseRecord; of: CasePart; to: string }) {
  if (of === 'case') return <ResultChoice kind={record.kind} status={to} />
  if (of !== 'transfer') return null
  const [field] = fieldsOfTransferPush(to)
  if (field === undefined) return null
  if (field === 'pharmacy_ncpdp_id') return <Field name={field} label="NCPDP id of the pharmacy (optional)" />
  const options = [['', 'as decided at its creation'] as const, ...transferErrorCodes]
  return <Choice name={field} label="Error code" options={options} />
}

/** The review of a PA that waits for it. */
function ReviewStep({ record: { id, kind, progress } }: { record: CaseRecord }) {
  if (kind !== 'prior_authorization' || progress.state !== 'awaiting_review') return null
  return (
    <StepRow
      action={`${addressOfCase(id)}/review`}
      fields={{ was: progress.state }}
      status="awaiting_outcome"
      button="Review: submit to the payer"
    />
  )
}

/** Outcomes that a PA may take without another status: any during its validation, and those of its last status. */
function changedOutcomes(record: CaseRecord): readonly Verdict[] {
  const state = asPriorAuthorization(record)?.progress.state
  if (state === 'validating_outcome') return verdicts
  return state === undefined ? [] : verdicts.filter((verdict) => statusOf(verdict) === state)
}

/** Another outcome of a PA that has one, and all steps to an outcome at once. */
function OutcomeSteps({ record }: { record: CaseRecord }) {
  const priorAuthorization = asPriorAuthorization(record)
  if (priorAuthorization === undefined) return null
  const { state } = priorAuthorization.progress
  const address = addressOfCase(record.id)
  const others = changedOutcomes(record)
  return (
    <>
      {others.length > 0 && (
        <StepRow
          action={`${address}/push`}
          fields={{ status: state, was: state }}
          status={state}
          button="Change the outcome"
        >
          <Choice name="outcome" label="Another outcome" within="changed" options={others.map(outcomeOption)} />
          <Field name="last_day" label="Last day of an approval, such as 2027-06-30 (optional)" within="changed" />
        </StepRow>
      )}
      {!isTerminal('prior_authorization', state) && (
        <StepRow
          action={`${address}/end`}
          fields={{ was: state }}
          status="straight to an outcome"
          button="Take all steps"
        >
          <Choice name="outcome" label="Outcome" within="end" options={verdicts.map(outcomeOption)} />
        </StepRow>
      )}
    </>
  )
}

interface StepRowProps {
  action: string
  fields: Record<string, string>
  status: string
  /** Button text; `says` is its accessible name, which begins with it. */
  button: string
  says?: string
  children?: ComponentChildren
}

/** Status, outcome and one button. */
function StepRow({ action, fields, status, button, says = button, children }: StepRowProps) {
  return (
    <li>
      <PostForm action={action} label={says} class="step">
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <span class="status">
          <Breakable text={status} />
        </span>
        <div class="choice">{children}</div>
        <button type="submit" class="act" id={says.toLowerCase().replaceAll(/\W+/g, '-')} aria-label={says}>
          {button}
        </button>
      </PostForm>
    </li>
  )
}
