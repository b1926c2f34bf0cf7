/** Resources that `play` creates: a prior authorization, or a benefit verification. */
export const plays = ['pa', 'bv'] as const
export type Play = (typeof plays)[number]
