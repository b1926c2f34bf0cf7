import { count, Moment } from '@pawl/base/pages/words'
import type { ClockReading } from '../platform/controls.ts'
import { Tile } from '@pawl/base/pages/tile'

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
