import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { integrationFile } from '@pawl/base/integration-file'
import { ownPackage } from '@pawl/base/own-package'
import { projectFolder } from '@pawl/base/project-folder'
import { addHandler, addSystem } from './edit-integration.ts'
import { formatSource, NewRefused, nodeIn, parseSource, propertyOf, replaceNode, walk } from './source.ts'

/** Where handlers and connectors of one's own live: in a fork's checkout of pawl, or in a project that depends on it. */
export interface Place {
  root: string
  /** The integration's source, below the root. */
  integration: string
  /** Templates with their sources. */
  templates: string
  isProject: boolean
}

/** Name of the connector in templates/connector: two words, so its spellings differ. */
const connector = 'record-store'

/** The project around the working folder, or the checkout of this code. Throws `NewRefused` where there is neither. */
export function findPlace(): Place {
  const { folder: own } = ownPackage()
  const templates = join(own, 'templates')
  const project = projectFolder()
  const place: Place =
    project === undefined
      ? { root: own, integration: 'src/integration/index.ts', templates, isProject: false }
      : { root: project, integration: integrationFile(project), templates, isProject: true }
  if (!place.integration.endsWith('.ts') || !existsSync(join(place.root, place.integration)))
    throw new NewRefused(
      'New handlers and connectors need a project of pawl init, or a checkout of pawl: there is neither here.',
    )
  return place
}

/** Names of the handler templates that can be copied. A project has the smallest: the others it imports. */
export async function readTemplates({ templates }: Place): Promise<string[]> {
  const entries = await readdir(templates)
  return entries.filter((entry) => existsSync(join(templates, entry, 'handler.ts'))).toSorted()
}

/** Copies a template with its test under a new name and adds it to the integration, in place of the shipped one; resolves with the written paths, the test last. Throws `NewRefused`, with nothing written. */
export async function writeHandler(place: Place, { template, name }: { template: string; name: string }) {
  const [file, test] = [`${name}.ts`, `${name}.test.ts`]
  const { root, integration: path, templates, isProject } = place
  const read = (path: string) => readFile(join(templates, path), 'utf8')
  const from = { template, file }
  const handler = await moveImports(await rename(await read(`${template}/handler.ts`), name), from)
  const tested = await moveImports(await read(`${template}/handler.test.ts`), from)
  const isShipped = !isProject && (await read('index.ts')).includes(`'./${template}/handler.ts'`)
  const replaces = isShipped ? template : undefined
  const identifier = toCamelCase(name)
  const listed = await addHandler(await readFile(join(root, path), 'utf8'), { path, identifier, file, replaces })
  return writeAll(place, { file, test }, { handler, tested, listed })
}

/** Writes a connector with its test and its setting and adds it to the integration; resolves like `writeHandler`. Throws `NewRefused`, with nothing written. */
export async function writeConnector(place: Place, name: string) {
  const { root, integration: path, templates } = place
  const [file, test] = [`${name}.ts`, `${name}.test.ts`]
  const { camel: identifier, constant, words } = spellingsOf(name)
  const own = Object.values(spellingsOf(name))
  const fill = async (path: string) =>
    Object.values(spellingsOf(connector)).reduce(
      (text, spelling, index) => text.replaceAll(spelling, own[index] ?? spelling),
      await readFile(join(templates, 'connector', path), 'utf8'),
    )
  const source = await readFile(join(root, path), 'utf8')
  const listed = await addSystem(source, { path, identifier, settings: `${identifier}Settings`, file })
  const written = await writeAll(
    place,
    { file, test },
    { handler: await fill(`${connector}.ts`), tested: await fill(`${connector}.test.ts`), listed },
  )
  const example = join(root, place.isProject ? '.' : dirname(path), '.env.example')
  const before = existsSync(example) ? await readFile(example, 'utf8') : ''
  await writeFile(example, `${before}# Address of the ${words}; absent: writes to it park.\n${constant}_URL=\n`)
  return written
}

async function writeAll(
  { root, integration, isProject }: Place,
  { file, test }: { file: string; test: string },
  { handler, tested, listed }: { handler: string; tested: string; listed: string },
): Promise<string[]> {
  const folder = dirname(integration)
  // A project imports the package by its name.
  const own = (text: string) => (isProject ? text.replaceAll(/'#pawl(?=['/])/g, "'pawl") : text)
  const texts = new Map([
    [`${folder}/${file}`, own(handler)],
    [`${folder}/${test}`, own(tested)],
  ])
  for (const path of texts.keys())
    if (existsSync(join(root, path))) throw new NewRefused(`${path} exists already: choose another name.`)
  texts.set(integration, listed)
  for (const [path, text] of texts) {
    const target = join(root, path)
    await mkdir(dirname(target), { recursive: true })
    // Never overwrite a file created meanwhile.
    await writeFile(target, await formatSource(text, target), { flag: path === integration ? 'w' : 'wx' })
  }
  return [integration, `${folder}/${file}`, `${folder}/${test}`]
}

/** The handler under another name. */
async function rename(source: string, name: string): Promise<string> {
  const tree = await parseSource(source, 'handler.ts')
  const call = [...walk(tree)].find(
    (node) => node.type === 'CallExpression' && nodeIn(node, 'callee')?.name === 'defineHandler',
  )
  const [declared] = call === undefined ? [] : [...walk(call)].filter(({ type }) => type === 'ObjectExpression')
  const value = nodeIn(propertyOf(declared, 'name'), 'value')
  if (value === undefined) throw new NewRefused('The template declares no handler with a name: copy it by hand.')
  return replaceNode(source, value, `'${name}'`)
}

/** The source adapted to its place beside the integration: it imports the handler from its new file, and the template's other modules from templates/. */
async function moveImports(source: string, { template, file }: { template: string; file: string }): Promise<string> {
  const tree = await parseSource(source, 'handler.ts')
  const paths = [...walk(tree)].filter(({ type }) => type === 'ImportDeclaration').map((each) => nodeIn(each, 'source'))
  const moved = (path: string) => {
    if (path === './handler.ts') return `./${file}`
    // Both folders are equally deep, so paths through the root stay the same.
    const isNear = path.startsWith('.') && !path.startsWith('../../')
    return isNear ? `../../${posix.join('templates', template, path)}` : path
  }
  // Last to first, so that earlier positions stay valid.
  return paths.reduceRight(
    (text, node) => (typeof node?.value === 'string' ? replaceNode(text, node, `'${moved(node.value)}'`) : text),
    source,
  )
}

/** A name in the spellings of files and tests, types, settings and sentences. */
function spellingsOf(name: string) {
  const camel = toCamelCase(name)
  return {
    kebab: name,
    camel,
    pascal: camel.charAt(0).toUpperCase() + camel.slice(1),
    constant: name.replaceAll('-', '_').toUpperCase(),
    words: name.replaceAll('-', ' '),
  }
}

function toCamelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}
