import { codedRefusal } from './refusal.ts'

/** Returns `wanted` if it is legal. Otherwise throws a `Refusal` 409 with the legal states and any rule against the move. */
export function chooseLegal<State extends string>(
  from: string,
  wanted: string,
  legal: readonly State[],
  rule?: string,
): State {
  const chosen = legal.find((state) => state === wanted)
  if (chosen !== undefined) return chosen
  throw codedRefusal(409, {
    title: 'Illegal transition',
    description: `${from} cannot become ${wanted}; legal next: ${legal.join(', ') || 'none'}.${rule === undefined ? '' : ` ${rule}`}`,
    code: 'illegal_transition',
    legal,
  })
}
