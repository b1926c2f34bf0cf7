import type { ComponentChildren } from 'preact'
import type { NextStep } from '../../platform/next-steps.ts'
import { PostForm } from '../form.tsx'

interface StepsProps {
  /** Takes the step. */
  action: string
  /** What the steps are of, as a name that no other list of the page has. */
  of: string
  /** What a button says before the state. */
  says: string
  steps: readonly NextStep[]
  /** The field that carries the state. */
  field: string
  /** What can be chosen with a step. */
  choicesOf?: (to: string) => ComponentChildren
}

/** A button for each state of a table: those that can come next, then the others with the reason. */
export function Steps({ action, of, says, steps, field, choicesOf }: StepsProps) {
  const legal = steps.filter(({ obstacle }) => obstacle === undefined)
  const others = steps.filter(({ obstacle }) => obstacle !== undefined)
  return (
    <>
      <ul class="steps">
        {legal.map(({ to }) => (
          <li key={to}>
            <PostForm action={action} label={`${of}: ${to}`}>
              <input type="hidden" name={field} value={to} />
              {choicesOf?.(to)}
              <button type="submit" class="act" id={`${of}-${to}`}>
                {says} {to}
              </button>
            </PostForm>
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <ul class="steps" aria-label="Not possible now">
          {others.map(({ to, obstacle }) => (
            <li key={to}>
              <button type="button" disabled aria-describedby={`${of}-why-${to}`}>
                {says} {to}
              </button>{' '}
              <span class="faint" id={`${of}-why-${to}`}>
                {obstacle}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
