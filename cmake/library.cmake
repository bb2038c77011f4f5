# libbough.so and libbough.a, which export what the public headers declare and nothing else, and what installs them.

# The names are those of the declarations with BOUGH_API, which begin a line and have the name on it.
set(BOUGH_HEADERS include/bough.h include/bough-ext.h include/bough/status.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${BOUGH_HEADERS})
set(BOUGH_EXPORTS "")
foreach(header ${BOUGH_HEADERS})
    file(READ ${header} text)
    string(REGEX MATCHALL "\nBOUGH_API " declarations "${text}")
    string(REGEX MATCHALL "\nBOUGH_API [^\n(]*bough_[a-z0-9_]+\\(" named "${text}")
    list(LENGTH declarations declared)
    list(LENGTH named count)
    if(NOT count EQUAL declared)
        message(FATAL_ERROR "${header}: ${declared} declarations with BOUGH_API, ${count} with the name on the same line")
    endif()
    list(TRANSFORM named REPLACE ".*(bough_[a-z0-9_]+)\\($" "\\1")
    list(APPEND BOUGH_EXPORTS ${named})
endforeach()
list(SORT BOUGH_EXPORTS)
string(REPLACE ";" "\n" BOUGH_NAMES "${BOUGH_EXPORTS}")
string(REPLACE ";" ";\n        " BOUGH_GLOBAL "${BOUGH_EXPORTS}")
set(BOUGH_MAP ${CMAKE_BINARY_DIR}/exports.map)
set(BOUGH_KEEP ${CMAKE_BINARY_DIR}/exports.txt)
file(CONFIGURE OUTPUT ${BOUGH_MAP} CONTENT "{\n    global:\n        @BOUGH_GLOBAL@;\n    local: *;\n};\n" @ONLY)
file(CONFIGURE OUTPUT ${BOUGH_KEEP} CONTENT "@BOUGH_NAMES@\n" @ONLY)

set(BOUGH_WHOLE -Wl,--whole-archive $<TARGET_FILE:bough_core> -Wl,--no-whole-archive)
set(BOUGH_NEEDS PkgConfig::YAML PkgConfig::JANSSON PkgConfig::SQLITE PkgConfig::PCRE2 PkgConfig::ARCHIVE ZLIB::ZLIB m
    ${CMAKE_DL_LIBS})
set(BOUGH_XML_LIBRARY "")
if(XML_FOUND)
    list(APPEND BOUGH_NEEDS PkgConfig::XML)
    set(BOUGH_XML_LIBRARY " -lxml2")
endif()
set(BOUGH_OTF2_LIBRARY "")
if(OTF2_FOUND)
    list(APPEND BOUGH_NEEDS PkgConfig::OTF2)
    set(BOUGH_OTF2_LIBRARY " -lopen-trace-format2")
endif()
if(OpenMP_C_FOUND)
    list(APPEND BOUGH_NEEDS OpenMP::OpenMP_C)
endif()

# Until 1.0 the interface may change with the minor version.
add_library(libbough SHARED ${CMAKE_SOURCE_DIR}/cmake/empty.c)
set_target_properties(libbough PROPERTIES OUTPUT_NAME bough VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
add_dependencies(libbough bough_core)
set_property(TARGET libbough APPEND PROPERTY LINK_DEPENDS $<TARGET_FILE:bough_core>)
target_include_directories(libbough INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(libbough PRIVATE ${BOUGH_WHOLE} ${BOUGH_NEEDS} $<BUILD_INTERFACE:bough_options>)
# The map hides all other names, also those that the compiler makes: clones for processors, locks of OpenMP.
target_link_options(libbough PRIVATE -Wl,--version-script=${BOUGH_MAP})
if(CMAKE_C_COMPILER_ID STREQUAL "GNU") # sanitizers of clang are in the program
    target_link_options(libbough PRIVATE -Wl,--no-undefined)
endif()
set_property(TARGET libbough APPEND PROPERTY LINK_DEPENDS ${BOUGH_MAP})

# The archive has one object, in which all other symbols are local.
set(BOUGH_ARCHIVE ${CMAKE_BINARY_DIR}/libbough.a)
add_custom_command(OUTPUT ${BOUGH_ARCHIVE}
    COMMAND ${CMAKE_LINKER} -r -d -o bough_all.o --whole-archive $<TARGET_FILE:bough_core>
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${BOUGH_KEEP} bough_all.o
    COMMAND ${CMAKE_COMMAND} -E rm -f ${BOUGH_ARCHIVE}
    COMMAND ${CMAKE_AR} qcs ${BOUGH_ARCHIVE} bough_all.o
    COMMAND ${CMAKE_COMMAND} -E rm -f bough_all.o
    DEPENDS bough_core ${BOUGH_KEEP} WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM COMMENT "libbough.a")
add_custom_target(bough_archive ALL DEPENDS ${BOUGH_ARCHIVE})

install(TARGETS libbough EXPORT bough LIBRARY COMPONENT libbough NAMELINK_COMPONENT dev)
install(FILES ${BOUGH_ARCHIVE} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(FILES include/bough.h include/bough-ext.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
install(FILES include/bough/status.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bough COMPONENT dev)

# find_package(bough) and pkg-config
include(CMakePackageConfigHelpers)
set(BOUGH_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/bough)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/boughConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT bough NAMESPACE bough:: FILE boughConfig.cmake DESTINATION ${BOUGH_PACKAGE} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/boughConfigVersion.cmake DESTINATION ${BOUGH_PACKAGE} COMPONENT dev)
set(BOUGH_OPENMP "")
if(OpenMP_C_FOUND)
    set(BOUGH_OPENMP "${OpenMP_C_FLAGS}")
endif()
# relative, so that an installed tree can be moved
file(RELATIVE_PATH BOUGH_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
configure_file(cmake/bough.pc.in bough.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/bough.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
