import { createAssets } from '@pawl/base/pages/assets'
import { style } from '@pawl/base/pages/page-style'
import { sandboxStyle } from './sandbox-style.ts'

export const assets = createAssets({ at: '/_sandbox/pages/assets', style: style + sandboxStyle })
