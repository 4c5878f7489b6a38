node_modules/.bin/node --experimental-vm-modules node_modules/jest/bin/jest.js "$@" --selectProjects unit
