# The Python package: cmake -DBOUGH_PYTHON=ON installs it where Debian's Python looks, if the prefix is /usr.
option(BOUGH_PYTHON "Install the Python package bough" OFF)
if(BOUGH_PYTHON)
    set(BOUGH_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package is installed, below the prefix")
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/bough DESTINATION ${BOUGH_PYTHON_DIR} FILES_MATCHING PATTERN "*.py"
        PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
endif()
