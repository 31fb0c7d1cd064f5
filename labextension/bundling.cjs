// What the builder of JupyterLab is told beside package.json: what the page and the worker that verifies both need stands
// in one file, which a browser loads once, and not in each of theirs.
const { rspack } = require("@rspack/core");

const WORKER = "service-nb-verifier";
// Browsers that JupyterLab runs in know this ECMAScript, and a second pass finds what the first one uncovered.
const minify = {
  ecma: 2022,
  compress: { ecma: 2022, passes: 3, keep_fargs: false },
  mangle: true,
  format: { comments: false, ecma: 2022 },
};

module.exports = {
  optimization: {
    minimizer: [
      new rspack.SwcJsMinimizerRspackPlugin({ extractComments: false, minimizerOptions: minify }),
      new rspack.LightningCssMinimizerRspackPlugin(),
    ],
    splitChunks: {
      cacheGroups: {
        card: {
          name: "card",
          filename: "[id].[contenthash].js?v=[contenthash]",
          enforce: true,
          priority: 10,
          test: (module, { chunkGraph }) => {
            const users = chunkGraph.getModuleChunks(module);
            return users.length > 1 && users.some(({ name }) => name === WORKER);
          },
        },
      },
    },
  },
};
