import { count, Moment } from '../../base/pages/words.tsx'
import type { ClockReading } from '../platform/controls.ts'
import { Tile } from '../../base/pages/tile.tsx'

/** Tiles with sandbox time, speed and next transition. */
export function ClockTiles({ clock: { now, speed, next } }: { clock: ClockReading }) {
  return (
    <>
      <Tile name="Sandbox time">
        <Moment at={now} />
      </Tile>
      <Tile name="Speed">{speed === 0 ? 'paused' : `${count(speed)} times`}</Tile>
      <Tile name="Next transition">{next === null ? 'none' : <Moment at={next} />}</Tile>
    </>
  )
}
