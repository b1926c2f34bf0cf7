import { describe, expect, it } from 'vitest'
import { createRandom } from '../src/platform/random.ts'

describe('the source of chance', () => {
  it('names twenty thousand events without a repetition', () => {
    const random = createRandom(7)
    const ids = Array.from({ length: 20_000 }, () => random.fork(`prov_outreach_${random.letters(20)}/sent`).id())
    expect(new Set(ids).size).toBe(ids.length)
    // 25 letters and digits tell 2 to the 129th apart.
    expect(ids[0]).toMatch(/^[a-z0-9]{25}$/)
  })

  it('draws the same for the same seed and label, and unrelated values for neighbours', () => {
    const draw = (seed: number, label: string) => createRandom(seed).fork(label).id()
    expect(draw(7, 'a')).toBe(draw(7, 'a'))
    const neighbours = [draw(7, 'a'), draw(8, 'a'), draw(7, 'b'), draw(7, 'a/b')]
    expect(new Set(neighbours.map((id) => id.slice(0, 4))).size).toBe(neighbours.length)
  })

  it('ends ids with a tag, and draws alike under another tag', () => {
    const drawn = (tag: string) => {
      const random = createRandom(7, { tag })
      const id = random.letters(20)
      return { id, next: random.next(), ofId: random.fork(`${id}/sent`).next() }
    }
    const [one, other] = [drawn('abc123'), drawn('zzz999')]
    expect([one.id, other.id]).toEqual([`${one.id.slice(0, 14)}abc123`, `${one.id.slice(0, 14)}zzz999`])
    expect(other).toEqual({ ...one, id: other.id })
  })
})
