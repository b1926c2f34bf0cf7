import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'templates/README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]
const names = new Set(
  ['src', 'packages', 'test', 'templates', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => !path.includes('node_modules/'))
      .map((path) => basename(path)),
  ),
)
/** Folders of sources, by the names that documents give them: rooms of src, and packages. */
const rooms = new Map([
  ...readdirSync(join(root, 'src')).map((room) => [room, `src/${room}`] as const),
  ...readdirSync(join(root, 'packages')).map((name) => [name, `packages/${name}/src`] as const),
])
rooms.delete('integration')

/** Without blocks of code, whose links are examples. */
const textOf = (page: string) => readFileSync(join(root, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '')

/** The anchors of a page's headings, as GitHub derives them. */
function anchorsOf(page: string): string[] {
  return [...textOf(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(pages)('%s', (page) => {
  it('links only to files and headings that exist', () => {
    const links = [...textOf(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? page : relative(root, join(root, dirname(page), path))
      if (!existsSync(join(root, target))) return true
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })

  it('names only files of the tree that exist', () => {
    const named = [...textOf(page).matchAll(/`((?:src|packages|test|templates|docs|bench|scripts)\/[\w./-]+)`/g)]
    // src/integration holds the files of a fork, which need not exist here; one path is of another project.
    const ours = named
      .map(([, path = '']) => path)
      .filter((path) => !path.startsWith('src/integration/') && path !== 'packages/server/src/fhir/smart.ts')
    // Such as `ledger/hot/claims.ts`.
    const inRooms = [...textOf(page).matchAll(/`([a-z]+\/[\w./-]+\.tsx?)`/g)].map(([, path = '']) => path)
    for (const path of inRooms) {
      const [name = '', ...rest] = path.split('/')
      const room = rooms.get(name)
      if (room !== undefined) ours.push([room, ...rest].join('/'))
    }
    const bare = [...textOf(page).matchAll(/`([\w-]+\.tsx?)`/g)].map(([, name = '']) => name)
    const unknown = bare.filter((name) => !names.has(name))
    expect([...new Set(unknown)]).toEqual([])
    const missing = ours.filter((path) => !existsSync(join(root, path)))
    expect([...new Set(missing)]).toEqual([])
  })
})
