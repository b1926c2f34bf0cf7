import type { ComponentChildren } from 'preact'
import type { NextStep } from '../../platform/next-steps.ts'
import { PostForm } from '../form.tsx'

interface StepsProps {
  /** Path that takes the step. */
  action: string
  /** Subject of the steps, unique on the page. */
  of: string
  /** Button text before the state. */
  says: string
  steps: readonly NextStep[]
  /** Name of the field with the state. */
  field: string
  /** Extra fields of a step. */
  choicesOf?: (to: string) => ComponentChildren
}

/** A button per state of a table: possible next states, then the others with the obstacle. */
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
