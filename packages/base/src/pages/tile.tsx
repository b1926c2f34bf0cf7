import type { ComponentChildren } from 'preact'

/** A name and its value in a list of tiles. */
export function Tile({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
