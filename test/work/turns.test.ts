import { expect, it } from 'vitest'
import { createTurns } from '../../src/work/turns.ts'

/** A piece of work that ends when told to, and says in `seen` when it begins and ends. */
function piece(name: string, seen: string[]) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const act = async () => {
    seen.push(`${name} begins`)
    await ended
    seen.push(`${name} ends`)
  }
  return { act, end }
}
const settle = () => new Promise((resolve) => setImmediate(resolve))

it('concurrent turns run together, and an exclusive one after them and before later ones', async () => {
  const seen: string[] = []
  const turns = createTurns()
  const [a, b, alone, alsoAlone, c] = ['a', 'b', 'alone', 'also alone', 'c'].map((name) => piece(name, seen))
  if (!a || !b || !alone || !alsoAlone || !c) throw new Error('there are five')
  const all = [turns.beside(a.act), turns.beside(b.act), turns.alone(alone.act), turns.alone(alsoAlone.act)]
  all.push(turns.beside(c.act))
  for (const { end } of [a, b, alone, alsoAlone, c]) {
    await settle()
    seen.push('…')
    end()
  }
  await Promise.all(all)
  expect(seen.filter((line) => line !== '…')).toEqual([
    'a begins',
    'b begins',
    'a ends',
    'b ends',
    'alone begins',
    'alone ends',
    'also alone begins',
    'also alone ends',
    'c begins',
    'c ends',
  ])
})

it('turns continue after failed work', async () => {
  const turns = createTurns()
  const fail = () => Promise.reject(new Error('no'))
  await expect(turns.beside(fail)).rejects.toThrow('no')
  await expect(turns.alone(fail)).rejects.toThrow('no')
  await expect(turns.alone(fail)).rejects.toThrow('no')
  expect(await turns.beside(() => Promise.resolve('yes'))).toBe('yes')
})
