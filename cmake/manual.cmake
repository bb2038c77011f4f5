# Manual pages, completion, studies and examples: what is installed beside the command and the library.
find_program(PYTHON3 python3)
set(BOUGH_NO_MANUAL "")
if(NOT PYTHON3)
    set(BOUGH_NO_MANUAL "there is no python3")
elseif(CMAKE_CROSSCOMPILING)
    set(BOUGH_NO_MANUAL "bough does not run on the machine that it is built on")
endif()
if(BOUGH_NO_MANUAL)
    message(STATUS "Manual pages are left out: ${BOUGH_NO_MANUAL}")
else()
    set(MANUAL ${CMAKE_SOURCE_DIR}/cmake/manual.py)
    execute_process(COMMAND ${PYTHON3} ${MANUAL} --names OUTPUT_VARIABLE BOUGH_PAGES COMMAND_ERROR_IS_FATAL ANY)
    list(TRANSFORM BOUGH_PAGES PREPEND ${CMAKE_BINARY_DIR}/man/)
    string(TIMESTAMP BOUGH_DATE "%Y-%m-%d" UTC) # of SOURCE_DATE_EPOCH, where it is set
    file(GLOB MANUAL_TEXTS CONFIGURE_DEPENDS docs/man/*)
    add_custom_command(OUTPUT ${BOUGH_PAGES}
        COMMAND ${PYTHON3} ${MANUAL} $<TARGET_FILE:bough> ${CMAKE_SOURCE_DIR}/docs/man ${PROJECT_VERSION} ${BOUGH_DATE} ${CMAKE_BINARY_DIR}/man
        DEPENDS bough ${MANUAL} ${MANUAL_TEXTS} VERBATIM COMMENT "Manual pages")
    add_custom_target(bough_manual ALL DEPENDS ${BOUGH_PAGES})
    foreach(page ${BOUGH_PAGES})
        string(REGEX REPLACE ".*\\." "" section ${page})
        install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT bough)
    endforeach()
endif()

set(COMPLETION cmake/completion)
install(FILES ${COMPLETION}/bough.bash RENAME bough DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT bough)
install(FILES ${COMPLETION}/_bough DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT bough)
install(FILES ${COMPLETION}/bough.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT bough)

install(DIRECTORY studies DESTINATION ${CMAKE_INSTALL_DATADIR}/bough COMPONENT bough)
install(FILES docs/schema/bough-2.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/bough/schema COMPONENT bough)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT bough USE_SOURCE_PERMISSIONS)
