import type { ComponentChildren } from 'preact'

/** How a state reads at a glance, by colour and sign. */
export type Tone = 'good' | 'warn' | 'bad' | 'wait' | 'quiet'

const signs: Readonly<Record<Tone, string>> = { good: '✓', warn: '!', bad: '✕', wait: '…', quiet: '·' }

/** A state in a word or two. The sign stands for the colour where that cannot be told; screen readers hear the words alone. */
export function Pill({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return (
    <span class={`pill ${tone}`}>
      <span aria-hidden="true">{signs[tone]}</span>
      {children}
    </span>
  )
}
