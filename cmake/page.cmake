# Builds the report page: OUT (a C file) from SOURCE (web/), with NODE and NPM, in WORK, where npm puts its packages.
# Run with cmake -P. Where it cannot be built, OUT has the style sheet alone and the reason: pages are static. STAMP is not
# written, so that the next build tries again; with REQUIRED that is an error.
function(without reason)
    if(REQUIRED)
        message(FATAL_ERROR "the report page: ${reason}")
    endif()
    file(READ "${SOURCE}/src/page.css" style) # as a C string, a line each
    string(REPLACE "\\" "\\\\" style "${style}")
    string(REPLACE "\"" "\\\"" style "${style}")
    string(REPLACE "\n" "\\n\"\n    \"" style "${style}")
    file(WRITE "${OUT}.new" "#include \"report/pages/page_assets.h\"\n\nstatic const char style[] =\n    \"${style}\";\n"
        "const struct page_assets page_assets = {0, 0, style, 0, \"${reason}\"};\n")
    execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different "${OUT}.new" "${OUT}")
endfunction()

if(MISSING)
    without("${MISSING}")
    file(TOUCH "${STAMP}")
    return()
endif()

file(REMOVE_RECURSE "${WORK}/src") # files that were renamed or removed
file(COPY "${SOURCE}/package.json" "${SOURCE}/package-lock.json" "${SOURCE}/.npmrc" "${SOURCE}/build.mjs"
    "${SOURCE}/tsconfig.json" "${SOURCE}/src" DESTINATION "${WORK}")

# Packages change with the lock file only.
file(SHA256 "${SOURCE}/package-lock.json" lock)
set(installed "")
if(EXISTS "${WORK}/installed")
    file(READ "${WORK}/installed" installed)
endif()
if(NOT installed STREQUAL lock)
    execute_process(COMMAND "${NPM}" ci --ignore-scripts --omit=dev --no-audit --no-fund WORKING_DIRECTORY "${WORK}"
        RESULT_VARIABLE result OUTPUT_FILE "${WORK}/npm.log" ERROR_FILE "${WORK}/npm.errors" TIMEOUT 300)
    if(NOT result EQUAL 0)
        message(STATUS "Report pages are static: npm ci failed (${WORK}/npm.errors)")
        without("npm could not get its packages when bough was built; build again where npm reaches its registry")
        return()
    endif()
    file(WRITE "${WORK}/installed" "${lock}")
endif()

execute_process(COMMAND "${NODE}" build.mjs "${OUT}.new" WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE result
    OUTPUT_VARIABLE said ERROR_VARIABLE wrong TIMEOUT 120)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "building the report page failed:\n${said}${wrong}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different "${OUT}.new" "${OUT}")
file(TOUCH "${STAMP}")
